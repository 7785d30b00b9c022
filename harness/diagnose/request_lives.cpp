#include "harness/diagnose/request_lives.hpp"

#include <fmt/format.h>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

Kind kind_of_request(const Event& event) {
  if (event.op == Op::psend_init) return kPartitionedSend;
  if (event.op == Op::precv_init) return kPartitionedReceive;
  const bool collective = kind_of(event.op) == OpKind::collective;
  if (form_of(event.op) == OpForm::persistent) return collective ? kPersistentCollective : kPersistentRequest;
  if (kind_of(event.op) == OpKind::rma) return kAccessRequest;
  return collective ? kCollectiveRequest : kPlainRequest;
}

}  // namespace

void RequestLives::perform(std::uint32_t index) {
  const Event& event = events_[index];
  switch (kind_of(event.op)) {
    case OpKind::wait:
    case OpKind::test: return complete(index);
    case OpKind::partition: return use_partitions(index);
    case OpKind::request: return free_or_cancel(index);
    case OpKind::start:
      for (const std::uint32_t number : model::requests_of(event)) start(number, index);
      return;
    default:
      if (event.request != kNoRequest && form_of(event.op) != OpForm::blocking) make(index);
  }
}

RequestLives::Request& RequestLives::request(std::uint32_t number) {
  const auto [found, inserted] = requests_.try_emplace(number);
  if (inserted) found->second.state = uses_.absent();
  return found->second;
}

void RequestLives::make(std::uint32_t index) {
  const Event& event = events_[index];
  Request& made = request(event.request);
  made = Request{};
  made.kind = kind_of_request(event);
  made.made = index;
  uses_.use(made, form_of(event.op) == OpForm::persistent ? kMake : kStart, index);
  partitions_.erase(event.request);
}

void RequestLives::start(std::uint32_t number, std::uint32_t index) {
  Request& one = request(number);
  if (one.made || one.state == kAbsent) uses_.use(one, kStart, index, std::to_string(number));
  partitions_.erase(number);
}

void RequestLives::free_or_cancel(std::uint32_t index) {
  const Event& event = events_[index];
  if (event.request == kNoRequest) return;
  Request& one = request(event.request);
  uses_.use(one, event.op == Op::cancel ? kCancel : kFree, index, std::to_string(event.request));
  if (event.op == Op::request_free && one.made) settled_(event.request, events_[*one.made], kUnknown);
}

void RequestLives::complete(std::uint32_t index) {
  const Event& event = events_[index];
  if (event.op == Op::request_get_status) return;  // leaves it as it is (MPI 4.1, section 3.7.6)
  const bool tests = kind_of(event.op) == OpKind::test;
  const bool perhaps = model::any_suffices(event) || (tests && event.flag < 0);
  if (tests && !perhaps && !model::poll_succeeded(event)) return;
  for (const std::uint32_t number : perhaps ? model::requests_of(event) : model::completed_requests_of(event)) {
    Request& one = request(number);
    if (one.state != kActive) continue;
    if (perhaps || threads_)
      one.state = kUnknown;
    else
      uses_.use(one, kComplete, index);
    settled_(number, events_[*one.made], one.state);
  }
}

void RequestLives::use_partitions(std::uint32_t index) {
  const Event& event = events_[index];
  if (event.request == kNoRequest) return;
  const Use how = event.op == Op::parrived ? kAskArrived : kMarkReady;
  Request& one = request(event.request);
  uses_.use(one, how, index, std::to_string(event.request));
  if (one.state != kActive) return;
  if (event.extras.index()) use_partition(*event.extras.index(), one, how, index);
  for (const std::uint32_t partition : event.extras.indices())
    use_partition(static_cast<std::int32_t>(partition), one, how, index);
}

void RequestLives::use_partition(std::int32_t number, const Request& of, Use how, std::uint32_t index) {
  const Event& made = events_[*of.made];
  const auto [found, inserted] = partitions_[made.request].try_emplace(number);
  Object& partition = found->second;
  if (inserted) {
    const auto known = made.extras.partitions();
    const bool exists = number >= 0 && (!known || number < *known);
    partition = {kPartition, exists ? kIdle : kAbsent, exists ? std::nullopt : of.made, false};
  }
  uses_.use(partition, how, index, fmt::format("{} of request {}", number, made.request));
}

}  // namespace petri::diagnosis

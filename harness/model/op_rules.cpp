#include "harness/model/op_rules.hpp"

#include <string_view>

namespace petri::model {

Half send_half(const Event& event) {
  const EventExtras& extras = event.extras;
  Half half{event.peer, tag_of(event), event.count, event.dtype};
  if (extras.sendpeer() != kUnset) half.peer = extras.sendpeer();
  if (extras.sendtag() != kUnset) half.tag = extras.sendtag();
  if (extras.sendcount() != kUnknownCount) half.count = extras.sendcount();
  if (extras.sendtype() != ElementType::unknown) half.dtype = extras.sendtype();
  if (extras.partitions() && half.count > 0) half.count *= *extras.partitions();
  return half;
}

Half recv_half(const Event& event) {
  const EventExtras& extras = event.extras;
  Half half{event.peer, tag_of(event), event.count, event.dtype};
  if (extras.recvpeer() != kUnset) half.peer = extras.recvpeer();
  if (extras.recvtag() != kUnset) half.tag = extras.recvtag();
  if (extras.recvcount() != kUnknownCount) half.count = extras.recvcount();
  if (extras.recvtype() != ElementType::unknown) half.dtype = extras.recvtype();
  if (extras.partitions() && half.count > 0) half.count *= *extras.partitions();
  return half;
}

std::int64_t bytes_of(const Half& half) {
  const auto size = static_cast<std::int64_t>(size_of(half.dtype));
  return half.count < 0 || size == 0 ? -1 : half.count * size;
}

bool is_synchronous_send(Op op) {
  return op == Op::ssend || op == Op::issend || op == Op::ssend_init;
}

bool is_buffered_send(Op op) {
  return op == Op::bsend || op == Op::ibsend || op == Op::bsend_init;
}

Requests requests_of(const Event& event) {
  if (event.request != kNoRequest) return {event.request};
  return {event.extras.requests().begin(), event.extras.requests().end()};
}

namespace {

// Those of `all` that the record names as completed.
Requests named_as_completed(const EventExtras& extras, const Requests& all) {
  Requests completed;
  const auto add = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < all.size())
      completed.push_back(all[static_cast<std::size_t>(index)]);
  };
  if (extras.index()) add(*extras.index());
  for (const std::uint32_t index : extras.indices()) add(index);
  return completed;
}

}  // namespace

Requests completed_requests_of(const Event& event) {
  const EventExtras& extras = event.extras;
  if (extras.index() || !extras.indices().empty()) return named_as_completed(extras, requests_of(event));
  return any_suffices(event) ? Requests() : requests_of(event);
}

bool any_suffices(const Event& event) {
  const bool one_of_many =
      event.op == Op::waitany || event.op == Op::waitsome || event.op == Op::testany || event.op == Op::testsome;
  return one_of_many && !event.extras.index() && event.extras.indices().empty();
}

bool is_poll(const Event& event) {
  const OpKind kind = kind_of(event.op);
  const bool polls = kind == OpKind::probe || kind == OpKind::partition || kind == OpKind::window;
  return kind == OpKind::test || (polls && form_of(event.op) == OpForm::nonblocking);
}

bool poll_succeeded(const Event& event) {
  const bool on_requests = kind_of(event.op) == OpKind::test;
  return event.flag == 1 || (on_requests && (event.extras.index() || !event.extras.indices().empty()));
}

bool takes_message(const Event& event) {
  if (event.op == Op::mprobe) return true;
  if (event.op == Op::improbe) return event.flag == 1;
  const bool fetches = event.op == Op::mrecv || event.op == Op::imrecv;
  return (kind_of(event.op) == OpKind::recv && !fetches) || kind_of(event.op) == OpKind::sendrecv;
}

namespace {

Needs needs_of_collective(const Event& event, bool is_root) {
  const std::string_view family = info(event.op).family;
  if ((info(event.op).traits & kNeighbor) != 0) return Needs::sources;
  const bool gives = family == "bcast" || family == "scatter" || family == "scatterv";
  const bool takes = family == "reduce" || family == "gather" || family == "gatherv";
  // On an intercommunicator the rest of the root's group has no part in it.
  if ((gives || takes) && event.root == kNull) return Needs::nobody;
  if (gives) return is_root ? Needs::nobody : Needs::root;
  if (takes) return is_root ? Needs::all : Needs::nobody;
  return family == "scan" || family == "exscan" ? Needs::lower : Needs::all;
}

}  // namespace

Needs needs_of(const Event& event, bool is_root) {
  switch (kind_of(event.op)) {
    case OpKind::collective: return needs_of_collective(event, is_root);
    case OpKind::file:
      return event.op == Op::file_read_ordered || event.op == Op::file_write_ordered ? Needs::lower : Needs::nobody;
    case OpKind::window:
      return event.extras.assertions().find("noprecede") != std::string::npos ? Needs::nobody : Needs::all;
    default: return Needs::all;
  }
}

bool is_enqueued(const Event& event) {
  if (event.extras.empty() || event.extras.stream().empty()) return false;
  switch (event.op) {
    case Op::stream_sync:
    case Op::device_sync:
    case Op::event_sync:
    case Op::group_start:
    case Op::group_end: return false;
    default: return true;
  }
}

bool is_enqueued_somewhere(const Scenario& scenario, const Event& event) {
  const std::string& own = scenario.comm_of(event).backend;
  const std::string& backend = own.empty() ? scenario.header.backend : own;
  return communicates(event) && !backend.empty() && backend != "mpi" && event.state != EventState::unknown &&
         event.extras.stream().empty();
}

bool communicates(const Event& event) {
  const OpKind kind = kind_of(event.op);
  return kind == OpKind::send || kind == OpKind::recv || kind == OpKind::collective;
}

bool never_blocks(Op op) {
  switch (kind_of(op)) {
    case OpKind::host: return op != Op::wait_external;
    case OpKind::request: return true;
    case OpKind::rma: return true;
    case OpKind::partition: return true;
    default: return false;
  }
}

// What joins processes that the record does not hold cannot be judged from it.
bool is_modelled(Op op) {
  switch (op) {
    case Op::comm_spawn:
    case Op::comm_spawn_multiple:
    case Op::comm_accept:
    case Op::comm_connect:
    case Op::comm_init_all:
    case Op::comm_abort:
    case Op::intercomm_create_from_groups:
    case Op::wait_external: return false;
    default: return true;
  }
}

}  // namespace petri::model

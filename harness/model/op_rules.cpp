#include "harness/model/op_rules.hpp"

#include <string_view>

namespace petri::model {

Half send_half(const Event& event) {
  const EventExtras& extras = event.extras.get();
  Half half{event.peer, tag_of(event), event.count, event.dtype};
  if (extras.sendpeer != kUnset) half.peer = extras.sendpeer;
  if (extras.sendtag != kUnset) half.tag = extras.sendtag;
  if (extras.sendcount != kUnknownCount) half.count = extras.sendcount;
  if (extras.sendtype != ElementType::unknown) half.dtype = extras.sendtype;
  return half;
}

Half recv_half(const Event& event) {
  const EventExtras& extras = event.extras.get();
  Half half{event.peer, tag_of(event), event.count, event.dtype};
  if (extras.recvpeer != kUnset) half.peer = extras.recvpeer;
  if (extras.recvtag != kUnset) half.tag = extras.recvtag;
  if (extras.recvcount != kUnknownCount) half.count = extras.recvcount;
  if (extras.recvtype != ElementType::unknown) half.dtype = extras.recvtype;
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

std::vector<std::uint32_t> requests_of(const Event& event) {
  if (event.request != kNoRequest) return {event.request};
  return event.extras->requests;
}

std::vector<std::uint32_t> completed_requests_of(const Event& event) {
  const EventExtras& extras = event.extras.get();
  const std::vector<std::uint32_t> all = requests_of(event);
  std::vector<std::uint32_t> completed;
  const auto add = [&](std::int64_t index) {
    if (index >= 0 && static_cast<std::size_t>(index) < all.size())
      completed.push_back(all[static_cast<std::size_t>(index)]);
  };
  if (extras.index) add(*extras.index);
  for (const std::uint32_t index : extras.indices) add(index);
  if (extras.index || !extras.indices.empty()) return completed;
  return any_suffices(event) ? completed : all;
}

bool any_suffices(const Event& event) {
  const bool one_of_many =
      event.op == Op::waitany || event.op == Op::waitsome || event.op == Op::testany || event.op == Op::testsome;
  return one_of_many && !event.extras->index && event.extras->indices.empty();
}

bool takes_message(const Event& event) {
  if (event.op == Op::mprobe) return true;
  if (event.op == Op::improbe) return event.flag == 1;
  const bool fetches = event.op == Op::mrecv || event.op == Op::imrecv;
  return (kind_of(event.op) == OpKind::recv && !fetches) || kind_of(event.op) == OpKind::sendrecv;
}

Needs needs_of(const Event& event, std::int32_t group_rank) {
  const std::string_view family = info(event.op).family;
  const bool at_root = event.root == group_rank;
  if (family == "bcast" || family == "scatter" || family == "scatterv") return at_root ? Needs::nobody : Needs::root;
  if (family == "reduce" || family == "gather" || family == "gatherv") return at_root ? Needs::all : Needs::nobody;
  if (family == "scan" || family == "exscan") return Needs::lower;
  return Needs::all;
}

bool never_blocks(Op op) {
  switch (kind_of(op)) {
    case OpKind::host: return op != Op::wait_external && op != Op::group_end;
    case OpKind::request: return true;
    case OpKind::rma: return true;
    case OpKind::partition: return true;
    case OpKind::device: return op == Op::event_record;
    default: return false;
  }
}

bool is_modelled(const Event& event) {
  if (!event.extras.empty() && (!event.extras->stream.empty() || event.extras->thread.value_or(0) != 0)) return false;
  if ((info(event.op).traits & kNeighbor) != 0) return false;
  const bool message = kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::recv;
  if (form_of(event.op) == OpForm::persistent && !message) return false;
  switch (kind_of(event.op)) {
    case OpKind::send: return event.op != Op::psend_init;
    case OpKind::recv: return event.op != Op::precv_init;
    case OpKind::start:
    case OpKind::probe:
    case OpKind::sendrecv:
    case OpKind::wait:
    case OpKind::test:
    case OpKind::collective:
    case OpKind::comm_free: return event.op != Op::comm_abort;
    case OpKind::comm_create: return is_positional(event.op) || event.op == Op::comm_create_group;
    case OpKind::world: return true;
    default: return never_blocks(event.op);
  }
}

}  // namespace petri::model

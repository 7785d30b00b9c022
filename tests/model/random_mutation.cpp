// One change at one place of a schedule: what people get wrong.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "tests/model/random_builder.hpp"

namespace petri::test {
namespace {

bool is_message(const Event& event) {
  return kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::recv;
}

// The same call in another form, where that needs no other arguments.
std::optional<Op> other_operation(Op op) {
  static const std::map<Op, Op> kSwaps{
      {Op::send, Op::ssend},         {Op::ssend, Op::send},          {Op::isend, Op::issend},
      {Op::bcast, Op::barrier},      {Op::barrier, Op::allreduce},   {Op::allreduce, Op::barrier},
      {Op::scan, Op::exscan},        {Op::ibarrier, Op::iallreduce}, {Op::win_flush, Op::win_unlock},
      {Op::win_wait, Op::win_fence}, {Op::reduce, Op::bcast},        {Op::file_write_all, Op::file_read_all}};
  const auto found = kSwaps.find(op);
  return found == kSwaps.end() ? std::nullopt : std::optional(found->second);
}

bool change_message(Builder& builder, Event& event) {
  if (!is_message(event) || event.peer == kUnset) return false;
  const auto size = static_cast<std::int32_t>(builder.scenario().comm_of(event).peers_of(0).size());
  switch (builder.below(5)) {
    case 0: event.tag = builder.below(2); break;
    case 1: event.count = 1 + builder.below(3); break;
    case 2:
      if (size < 2 || builder.scenario().comm_of(event).is_inter()) return false;
      event.peer = builder.below(size);
      break;
    case 3: event.peer = kNull; break;
    default:
      if (kind_of(event.op) != OpKind::recv || event.op == Op::precv_init) return false;
      event.peer = kAny;
  }
  return true;
}

bool change_collective(Builder& builder, Event& event) {
  if (kind_of(event.op) != OpKind::collective) return false;
  switch (builder.below(4)) {
    case 0:
      if (event.count < 0) return false;
      event.count = 3;
      return true;
    case 1:
      if (!is_rooted(event.op) || event.root < 0 || builder.scenario().comm_of(event).is_inter()) return false;
      event.root = builder.below(static_cast<int>(builder.members(event.comm).size()));
      return true;
    case 2:
      if (event.dtype == ElementType::unknown) return false;
      event.dtype = ElementType::float64;
      return true;
    default:
      if (!reduces(event.op)) return false;
      event.reduce = ReduceOp::max;
      return true;
  }
}

bool change_comm(Builder& builder, Event& event, std::int32_t rank) {
  if (kind_of(event.op) != OpKind::collective && !is_message(event)) return false;
  const std::int32_t comm = builder.any_comm();
  const auto members = builder.members(comm);
  if (std::find(members.begin(), members.end(), rank) == members.end()) return false;
  if (event.root >= static_cast<std::int32_t>(members.size())) return false;
  if (event.peer >= static_cast<std::int32_t>(members.size()) || (info(event.op).traits & (kNeighbor | kVector)) != 0)
    return false;
  if (event.root == kRootHere || event.root == kNull) return false;
  event.comm = comm;
  return true;
}

bool change_event(Builder& builder, Event& event, std::int32_t rank) {
  switch (builder.below(6)) {
    case 0: return change_message(builder, event);
    case 1: return change_collective(builder, event);
    case 2: return change_comm(builder, event, rank);
    case 3:
      if (event.extras.lock().empty()) return false;
      event.extras.set_lock(event.extras.lock() == "shared" ? "exclusive" : "shared");
      return true;
    case 4:
      if (!event.extras.target() || event.op == Op::win_unlock) return false;
      event.extras.set_target(builder.below(builder.world()));
      return true;
    default: {
      const auto other = other_operation(event.op);
      if (!other || (event.extras.stream() != "" && *other == Op::barrier)) return false;
      event.op = *other;
      return true;
    }
  }
}

}  // namespace

bool mutate(Builder& builder) {
  const std::int32_t rank = builder.below(builder.world());
  auto& events = builder.scenario().ranks[static_cast<std::size_t>(rank)].events;
  if (events.empty()) return false;
  const auto at = static_cast<std::size_t>(builder.below(static_cast<int>(events.size())));
  const auto place = events.begin() + static_cast<std::ptrdiff_t>(at);
  const bool grouped = events[at].op == Op::group_start || events[at].op == Op::group_end;
  switch (builder.below(6)) {
    case 0:
      if (grouped) return false;
      events.erase(place);
      return true;
    case 1:
      // A second nonblocking call would need a second request, but not a second start or mark.
      if (grouped || kind_of(events[at].op) == OpKind::wait) return false;
      if (events[at].request != kNoRequest && kind_of(events[at].op) != OpKind::start &&
          kind_of(events[at].op) != OpKind::partition)
        return false;
      events.insert(place, Event(events[at]));
      return true;
    case 2: {
      if (at + 1 >= events.size() || grouped) return false;
      const OpKind next = kind_of(events[at + 1].op);
      if (next == OpKind::wait || next == OpKind::test || next == OpKind::host || next == OpKind::start) return false;
      std::swap(events[at], events[at + 1]);
      return true;
    }
    default: return change_event(builder, events[at], rank);
  }
}

}  // namespace petri::test

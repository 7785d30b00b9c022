#include "harness/diagnose/group_lives.hpp"

#include <utility>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {

void GroupLives::perform(std::uint32_t index) {
  const Event& event = events_[index];
  Group& group = groups_[event.extras.thread().value_or(0)];
  switch (event.op) {
    case Op::group_start: return group.starts.push_back(index);
    case Op::group_end: return end(group, index);
    case Op::stream_sync:
    case Op::device_sync:
    case Op::event_sync: return synchronize(group, index);
    case Op::event_record: recorded_[event.extras.event()] = index; return;
    default:
      if (!group.starts.empty() && model::is_enqueued(event) && model::communicates(event))
        group.inside.push_back(index);
  }
}

void GroupLives::end(Group& group, std::uint32_t index) {
  if (group.starts.empty()) {
    Object none{kGroup, uses_.at_rest(), {}, std::exchange(no_group_told_, true)};
    return uses_.use(none, kEnd, index);
  }
  group.starts.pop_back();
  if (group.starts.empty()) group.inside.clear();
}

// What the host waits for is not launched before the group's end.
void GroupLives::synchronize(const Group& group, std::uint32_t index) {
  const Event& event = events_[index];
  std::uint32_t from = index;  // says on which device and stream, and what comes before
  if (event.op == Op::event_sync) {
    const auto found = recorded_.find(event.extras.event());
    if (found == recorded_.end()) return;
    from = found->second;
  }
  const EventExtras& waited = events_[from].extras;
  for (const std::uint32_t call : group.inside) {
    const EventExtras& extras = events_[call].extras;
    if (call > from || (waited.device() && *waited.device() != extras.device().value_or(0))) continue;
    if (event.op != Op::device_sync && waited.stream() != extras.stream()) continue;
    Object held{kStream, kActive, call, !streams_told_.insert(extras.stream()).second};
    return uses_.use(held, kSettle, index, extras.stream());
  }
}

}  // namespace petri::diagnosis

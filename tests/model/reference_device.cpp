// Streams and events of a device: what the host waits for, and when a kernel may run.
#include <algorithm>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {
namespace {

bool is_kernel(const Facts& facts, std::size_t lane, std::uint32_t unit) {
  const auto& events = facts.lanes[lane].units[unit].events;
  return std::any_of(events.begin(), events.end(), [&](std::uint32_t index) {
    return kind_of(facts.event({facts.lanes[lane].rank, index}).op) != OpKind::device;
  });
}

// A stream has performed all that was enqueued on it before an event of the host.
bool drained(const Facts& facts, const State& state, std::size_t lane, std::uint32_t before) {
  const auto& units = facts.lanes[lane].units;
  const std::uint32_t next = state.lanes[lane].next;
  return next >= units.size() || units[next].issued > before;
}

// The latest event_record of that name before `ref` has been performed; waiting for an event that was never recorded
// waits for nothing.
bool recorded(const Facts& facts, const State& state, EventRef ref) {
  const auto& events = facts.scenario.ranks[static_cast<std::size_t>(ref.rank)].events;
  for (std::uint32_t i = ref.index; i-- > 0;) {
    if (events[i].op != Op::event_record || events[i].extras.event() != events[ref.index].extras.event()) continue;
    const auto [lane, unit] = facts.on_stream({ref.rank, i});
    return lane < 0 || state.lanes[static_cast<std::size_t>(lane)].next > unit;
  }
  return true;
}

}  // namespace

bool device_call_done(const Facts& facts, const State& state, EventRef ref) {
  const Event& event = facts.event(ref);
  if (event.op == Op::stream_wait || event.op == Op::event_sync) return recorded(facts, state, ref);
  if (event.op != Op::stream_sync && event.op != Op::device_sync) return true;
  for (std::size_t lane = 0; lane < facts.lanes.size(); ++lane) {
    const LaneFacts& one = facts.lanes[lane];
    const bool meant = one.is_stream && one.rank == ref.rank && one.device == event.extras.device().value_or(0) &&
                       (event.op == Op::device_sync || one.stream == event.extras.stream());
    if (meant && !drained(facts, state, lane, ref.index)) return false;
  }
  return true;
}

// The host has issued it, and, in the strict reading, no other kernel runs on the device.
bool may_launch(const Facts& facts, const State& state, std::size_t lane) {
  const LaneFacts& own = facts.lanes[lane];
  const std::uint32_t next = state.lanes[lane].next;
  for (std::size_t other = 0; other < facts.lanes.size(); ++other) {
    const LaneFacts& one = facts.lanes[other];
    if (one.rank != own.rank) continue;
    const State::Lane& at = state.lanes[other];
    if (!one.is_stream) {
      for (std::uint32_t unit = at.next; unit < one.units.size(); ++unit)
        if (one.units[unit].events.back() == own.units[next].issued) return false;
    } else if (other != lane && facts.strict() && one.device == own.device && at.inside &&
               is_kernel(facts, other, at.next) && is_kernel(facts, lane, next)) {
      return false;
    }
  }
  return true;
}

}  // namespace petri::test::reference

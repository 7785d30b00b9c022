#include "harness/model/machine.hpp"

#include <algorithm>

#include "harness/model/op_rules.hpp"
#include "harness/model/release.hpp"

namespace petri::model {
namespace {

constexpr std::size_t kOps = 256;

bool ends_dead(EndKind end) {
  return end == EndKind::exited || end == EndKind::aborted || end == EndKind::signal;
}

}  // namespace

Machine::Machine(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script)
    : scenario_(scenario),
      assumptions_(assumptions),
      script_(script),
      run_(scenario),
      windows_(scenario),
      rivals_(scenario, run_.lanes),
      handovers_(scenario, run_.lanes),
      ranks_(scenario.ranks.size()),
      lanes_of_(scenario.ranks.size()),
      unmodelled_(kOps, false) {
  run_.standing.assign(ranks_.size(), Standing::blocked);
  run_.index.assign(ranks_.size(), 0);
  for (const RankTrace& rank : scenario.ranks)
    run_.truncated.push_back(rank.end.dropped > 0 && rank.end.joined.empty());
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    for (std::uint32_t index = 0; index < trace(rank).events.size(); ++index)
      if (const Event& event = trace(rank).events[index]; event.op == Op::cancel && event.flag == 1)
        cancelled_[{rank, event.request}] = index;
  lanes_.resize(run_.lanes.size());
  for (std::uint32_t lane = 0; lane < run_.lanes.size(); ++lane) {
    const Lane& one = run_.lanes[lane];
    lanes_of_[static_cast<std::size_t>(one.rank)].push_back(lane);
    if (!one.is_stream()) continue;
    has_streams_ = true;
    state(one.rank).streams[{one.device, one.stream}] = lane;
  }
}

std::uint32_t Machine::events_of(std::uint32_t lane) const {
  const Lane& one = run_.lanes[lane];
  return static_cast<std::uint32_t>(one.whole ? trace(one.rank).events.size() : one.events.size());
}

EventRef Machine::event_at(std::uint32_t lane) const {
  const Lane& one = run_.lanes[lane];
  const std::uint32_t pc = lanes_[lane].pc;
  return {one.rank, one.whole ? pc : one.events[pc]};
}

Run Machine::execute() {
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) wake(rank);
  do {
    drain();
  } while (!run_.repeats &&
           (let_uncontested_go() || occupy_devices() || resolve_as_recorded() || enter_as_recorded() ||
            grant_where_certain() || resolve_by_choice(false) || follow_record() || resolve_by_choice(true)));
  if (!run_.repeats) finish();
  return std::move(run_);
}

void Machine::wake_lane(std::uint32_t lane) {
  LaneState& one = lanes_[lane];
  if (one.queued || one.over) return;
  one.queued = true;
  queue_.push_back(lane);
}

void Machine::wake(std::int32_t rank) {
  for (const std::uint32_t lane : lanes_of_[static_cast<std::size_t>(rank)]) wake_lane(lane);
}

void Machine::drain() {
  while (!queue_.empty()) {
    const std::uint32_t lane = queue_.front();
    queue_.pop_front();
    lanes_[lane].queued = false;
    advance(lane);
  }
}

void Machine::advance(std::uint32_t lane) {
  if (is_stream(lane)) return advance_stream(lane);
  advance_thread(lane);
}

void Machine::advance_thread(std::uint32_t lane) {
  LaneState& one = lanes_[lane];
  while (!one.over && one.pc < events_of(lane)) {
    const EventRef ref = event_at(lane);
    if (!one.entered) {
      if (!one.forced && handed_over_by(lane) != kNone) return;
      if (hold_back(lane, ref)) return;
      one.entered = true;
      one.current.clear();
      one.current.emplace_back();
      enter(lane, ref);
      if (one.over) return;
    }
    if (!one.forced && !can_leave(lane, ref)) {
      if (assumptions_.buffered) watch_event(lane, ref);
      return;
    }
    leave(lane, ref);
  }
  if (!one.over) reach_end(lane);
}

void Machine::enter(std::uint32_t lane, EventRef ref) {
  const Event& event = at(scenario_, ref);
  if (!judged(event)) {
    if (!unmodelled_[static_cast<std::size_t>(event.op)]) run_.unmodelled.push_back(ref);
    unmodelled_[static_cast<std::size_t>(event.op)] = true;
  } else if (kind_of(event.op) == OpKind::world) {
    enter_world(lane, event);
  } else if (place_unknown(ref) || is_doubtful(ref)) {
    return stop_lane(lane, Standing::unknown);
  } else if (goes_to_stream(event)) {
    enqueue(lane, ref);
  } else if (event.op == Op::group_start) {
    ++lanes_[lane].group_depth;
  } else if (event.op == Op::group_end) {
    end_group(lane);
  } else {
    lanes_[lane].current.front() = post(event, ref);
  }
  const bool dies_inside = is_last(ref) && event.state == EventState::started && ends_dead(trace(ref.rank).end.kind);
  if (dies_inside && !lanes_[lane].over) stop(ref.rank, Standing::dead);
}

void Machine::enter_world(std::uint32_t lane, const Event& event) {
  const std::int32_t rank = rank_of(lane);
  if (event.op == Op::finalize) enter_finalize(rank);
  if (event.op == Op::abort) stop(rank, Standing::dead);
  if (event.op != Op::exit) return;
  const bool ends_thread = run_.lanes[lane].thread != 0;
  if (ends_thread) return stop_lane(lane, Standing::finished);
  stop(rank, state(rank).finalizing ? Standing::finished : Standing::dead);
}

void Machine::enter_finalize(std::int32_t rank) {
  if (std::exchange(state(rank).finalizing, true)) return;
  if (++in_finalize_ < scenario_.world()) return;
  for (std::int32_t other = 0; other < scenario_.world(); ++other) wake(other);
}

void Machine::leave(std::uint32_t lane, EventRef ref) {
  LaneState& one = lanes_[lane];
  const Event& event = at(scenario_, ref);
  const OpKind kind = kind_of(event.op);
  if (kind == OpKind::wait || (kind == OpKind::test && poll_succeeded(event))) take_completed(ref.rank, event);
  if (kind == OpKind::window) close_epochs(event, one.current.front());
  one.forced = false;
  one.entered = false;
  ++one.pc;
  if (handovers_.any(ref.rank)) wake(ref.rank);
}

// The record ends here: what the lane did afterwards follows from how its rank ended.
void Machine::reach_end(std::uint32_t lane) {
  const std::int32_t rank = rank_of(lane);
  const RankEnd& end = trace(rank).end;
  if (scenario_.cut && !end.stated) return stop_lane(lane, Standing::unknown);
  const bool is_main = run_.lanes[lane].thread == 0;
  switch (end.kind) {
    case EndKind::running: return stop_lane(lane, Standing::running);
    case EndKind::cut:
    case EndKind::missing: return stop_lane(lane, Standing::unknown);
    case EndKind::aborted:
    case EndKind::signal: return is_main ? stop(rank, Standing::dead) : stop_lane(lane, Standing::dead);
    case EndKind::exited:
      if (!is_main) return stop_lane(lane, Standing::finished);
      return stop(rank, state(rank).finalizing ? Standing::finished : Standing::dead);
    case EndKind::finalized: break;
  }
  if (!is_main) return stop_lane(lane, Standing::finished);
  enter_finalize(rank);
  if (lanes_[lane].forced || in_finalize_ == scenario_.world()) stop_lane(lane, Standing::finished);
}

void Machine::stop_lane(std::uint32_t lane, Standing standing) {
  lanes_[lane].over = true;
  run_.lanes[lane].standing = standing;
  if (handovers_.any(rank_of(lane))) wake(rank_of(lane));
}

// All of a process ends at once.
void Machine::stop(std::int32_t rank, Standing standing) {
  for (const std::uint32_t lane : lanes_of_[static_cast<std::size_t>(rank)])
    if (!lanes_[lane].over) stop_lane(lane, standing);
}

// What a rank's lanes come to.
void Machine::stand(std::int32_t rank) {
  const auto slot = static_cast<std::size_t>(rank);
  const auto any = [&](Standing standing) {
    return std::any_of(lanes_of_[slot].begin(), lanes_of_[slot].end(),
                       [&](std::uint32_t lane) { return run_.lanes[lane].standing == standing; });
  };
  for (const Standing standing :
       {Standing::running, Standing::unknown, Standing::blocked, Standing::dead, Standing::finished}) {
    if (!any(standing)) continue;
    run_.standing[slot] = standing;
    break;
  }
  run_.index[slot] = run_.lanes[slot].index;
  for (const std::uint32_t lane : lanes_of_[slot]) {
    if (run_.lanes[lane].standing != run_.standing[slot]) continue;
    run_.index[slot] = run_.lanes[lane].index;
    break;
  }
}

void Machine::finish() {
  for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
    Lane& end = run_.lanes[lane];
    const LaneState& one = lanes_[lane];
    if (is_stream(lane)) {
      if (one.over) continue;
      for (std::size_t item = one.pc; item < one.launches.size(); ++item)
        end.events.insert(end.events.end(), one.launches[item].events.begin(), one.launches[item].events.end());
      const bool idle = one.pc == one.launches.size();
      end.standing = idle ? Standing::finished : Standing::blocked;
      end.index =
          idle ? static_cast<std::uint32_t>(trace(end.rank).events.size()) : one.launches[one.pc].events.front();
      continue;
    }
    const bool at_end = one.pc == events_of(lane);
    end.index = at_end ? static_cast<std::uint32_t>(trace(end.rank).events.size()) : event_at(lane).index;
    if (!one.over && !at_end && one.entered && runs_here(event_at(lane))) end.standing = Standing::running;
  }
  for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
    stand(rank);
    for (const std::uint32_t lane : lanes_of_[static_cast<std::size_t>(rank)])
      if (run_.lanes[lane].standing == Standing::blocked)
        run_.waits.push_back(is_stream(lane) ? wait_of_stream(lane) : wait_of(lane));
    if (!state(rank).finalizing) continue;
    for (const auto& [request, pending] : state(rank).requests) run_.never_completed.push_back(pending.posted);
  }
  std::sort(run_.never_completed.begin(), run_.never_completed.end());
  run_.unmatched_sends = mail_.unmatched_sends();
  find_stuck(run_);
}

Run run(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script) {
  return Machine(scenario, assumptions, script).execute();
}

}  // namespace petri::model

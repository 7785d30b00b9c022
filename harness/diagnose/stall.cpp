#include "harness/diagnose/stall.hpp"

#include <algorithm>

#include "harness/diagnose/fault.hpp"
#include "harness/model/run.hpp"

namespace petri {
namespace {

// Every thread that is still there is inside a call.
bool nobody_computes(const Scenario& snapshot, const model::Run& run) {
  return std::all_of(run.lanes.begin(), run.lanes.end(), [&](const model::Lane& lane) {
    return lane.standing != model::Standing::running || model::ends_in_a_call(snapshot, lane);
  });
}

// What a library does with clashing arguments is undefined: that it never returns, or that a wait for it does not, is
// one way.
std::vector<std::int32_t> ranks_in_mismatching_calls(const Scenario& snapshot, const model::Run& run) {
  std::vector<std::int32_t> ranks;
  const std::vector<diagnosis::Fault> mismatches = diagnosis::find_mismatches(snapshot, run);
  if (mismatches.empty()) return ranks;
  for (const model::Lane& lane : run.lanes) {
    if (!model::ends_in_a_call(snapshot, lane)) continue;
    const auto& events = snapshot.ranks[static_cast<std::size_t>(lane.rank)].events;
    const auto last = lane.whole ? static_cast<std::uint32_t>(events.size() - 1) : lane.events.back();
    if (diagnosis::in_faulty_call(snapshot, run, {lane.rank, last}, mismatches)) ranks.push_back(lane.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace

Stall prove_stall(const Scenario& snapshot) {
  model::Assumptions as_recorded;
  as_recorded.follow_record = true;
  const model::Run run = model::run(snapshot, as_recorded);
  Stall stall;
  stall.ranks = run.stuck;
  for (const model::Wait& wait : run.waits)
    if (wait.polls && run.stuck_lanes[wait.lane]) stall.assumes_polls = true;
  if (stall.ranks.empty() && nobody_computes(snapshot, run)) {
    stall.ranks = ranks_in_mismatching_calls(snapshot, run);
    stall.by_mismatch = !stall.ranks.empty();
  }
  stall.may_be_slow = std::any_of(run.lanes.begin(), run.lanes.end(), [&](const model::Lane& lane) {
    return lane.standing == model::Standing::running && model::ends_in_a_call(snapshot, lane);
  });
  return stall;
}

}  // namespace petri

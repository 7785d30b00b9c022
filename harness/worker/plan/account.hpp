// What a replay did, told in the scenario's own terms.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/replay_log.hpp"

namespace petri {

// What the worker's ranks say of themselves.
struct ReplayState {
  std::vector<ReplayMarks> logs;  // by rank
  std::vector<bool> idle;         // by rank: it has done all its events, and stays

  // Everybody either stands in a call or rests: nothing but a call's return can change anything. False while somebody
  // is still starting up, and when all are on their way out: on a busy machine both take long, and neither is a
  // failure.
  bool settled(const Scenario& scenario, const Scenario& recording) const;
};

ReplayState read_replay_state(const std::filesystem::path& recording, std::int32_t world);

// `scenario` with what its replay, recorded as `recording`, made of it: each rank has the events that it began, with
// the scenario's own arguments, sequence numbers, steps and call sites, and with the recording's states, matches,
// flags, digests and errors; then how it ended. A finalize that the scenario does not name is added where the rank is
// stuck in it. Header and communicators stay.
Scenario account_of(const Scenario& scenario, const Scenario& recording, const ReplayState& state);

// The same, followed by the events that were not begun, as `scheduled`.
Scenario account_with_rest(const Scenario& scenario, const Scenario& recording, const ReplayState& state);

// For each event of a rank, the last that performing it left in the recording; null where it left none or was not
// begun.
std::vector<const Event*> traces_of(const RankTrace& original, const RankTrace& seen, const ReplayMarks& marks);

}  // namespace petri

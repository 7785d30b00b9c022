// Which events happen before which, by messages, collectives and the epochs of windows: vector clocks over one run.
//
// Fidge, "Timestamps in message-passing systems that preserve the partial ordering", 1988; Mattern, "Virtual time and
// global states of distributed systems", 1989. Every collective is taken to synchronize all its members, and what a
// rank has heard it keeps: where the standard orders two events, so does this; it may order more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// By place in the list of ranks that a replay is asked about: how many of that rank's events are known to have begun.
using Clock = std::vector<std::uint32_t>;

// An event of a replay: the `tick`-th of its rank, which by then had heard of what `known` says.
struct Moment {
  EventRef at;
  std::uint32_t tick = 0;  // from 1
  std::shared_ptr<const Clock> known;
};

// Is everything there that could order two events: whole records, one thread a rank, no calls whose partners are not in
// them?
bool has_causal_order(const Scenario& scenario, const model::Run& run);

// Visits the events of the run when they begin, causes first, as far as all their causes are recorded. Only for runs
// with a causal order. Clocks hold `ranks` only: the cost of an event grows with their number, not with the world.
void replay_in_causal_order(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& ranks,
                            const std::function<void(const Moment&)>& visit);

}  // namespace petri::diagnosis

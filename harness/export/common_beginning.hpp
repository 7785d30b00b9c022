// Where records begin together, and what is there before. Internal to harness/export.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// Calls, by rank and event.
using LeftOut = std::set<std::pair<std::int32_t, std::uint32_t>>;

// Those that a program of the records leaves out: those at positions of a communicator of which
// another member's record says that it was joined before that record begins (RankEnd::joined). All members took part in
// them, so a program in which only some did would wait for the others at the wrong place. Empty where no record says
// so.
LeftOut before_common_beginning(const Scenario& scenario);

// Communicators that some rank uses without having made them: they are made before the first event. `uses` gives those
// that a rank's call needs.
using CommsUsed = std::function<std::vector<std::int32_t>(const Event& event, std::int32_t rank)>;
std::set<std::int32_t> made_at_start(const Scenario& scenario, const LeftOut& left_out, const CommsUsed& uses);

}  // namespace petri

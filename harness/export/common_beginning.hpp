// Where records without their beginnings begin together. Internal to harness/export.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "harness/trace/scenario.hpp"

namespace petri {

// Calls, by rank and event.
using LeftOut = std::set<std::pair<std::int32_t, std::uint32_t>>;

// Those that a program of the records leaves out: those at positions of a communicator of which
// another member's record says that it was joined before that record begins (RankEnd::joined). All members took part in
// them, so a program in which only some did would wait for the others at the wrong place. Empty where no record says
// so.
LeftOut before_common_beginning(const Scenario& scenario);

}  // namespace petri

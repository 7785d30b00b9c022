// Small helpers of every report.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/trace/describe.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/rank_ranges.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// How many terminal columns a printable line takes: one for each character.
std::size_t columns_of(std::string_view text);

// The event that a reference points at, or null for the finalize that a record implies after its last event.
const Event* event_of(const Scenario& scenario, EventRef ref);

}  // namespace petri

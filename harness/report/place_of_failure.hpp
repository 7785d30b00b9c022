// Which event of each rank stands at the place of failure. Internal to harness/report.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// For each rank an index into its events, or their number where the rank has no event there.
std::vector<std::size_t> place_of_failure(const Scenario& scenario, const Diagnosis& diagnosis);

}  // namespace petri

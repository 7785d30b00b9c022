// What a replay makes before the first event, because no event of the scenario makes it.
#pragma once

#include <cstdint>

#include "harness/trace/scenario.hpp"
#include "harness/worker/holdings.hpp"

namespace petri {

// The communicators that no event creates (plan.hpp).
void make_communicators(const Scenario& scenario, std::int32_t rank, Holdings& holdings);

}  // namespace petri

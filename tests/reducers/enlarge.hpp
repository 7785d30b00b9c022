// A small failure in the middle of a large job.
#pragma once

#include <cstdint>

#include "harness/trace/scenario.hpp"

namespace petri::reduce::testing {

struct Surroundings {
  std::int32_t bystanders = 6;  // ranks that have no part in the failure
  std::int32_t steps = 3;       // before it: collectives of all, halos along a ring, groups of two
};

// The ranks of `small` are spread over a job of more ranks: its world becomes a group of them, its calls come after
// steps in which all take part, while the bystanders go on among themselves. Legal but for `small`.
Scenario enlarge(const Scenario& small, const Surroundings& around);

}  // namespace petri::reduce::testing

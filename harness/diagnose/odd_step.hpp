// A loop tells of itself: what a rank does in a step is held against what it did in its steps before. It decides among
// the ranks of a deadlock where neither their number nor the waits say who began it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/testimony.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// The only one of `suspects` whose calls in `step`, as far as it came, are not the beginning of one of its steps
// before, or none of them where the step is over. Without a number it is the last step of each. Needs recorded steps.
// Nothing where none or several are such, or where one has no step before: then the steps name nobody.
std::optional<Testimony> odd_step(const Scenario& scenario, const model::Run& run,
                                  const std::vector<std::int32_t>& suspects, std::int32_t step);

}  // namespace petri::diagnosis

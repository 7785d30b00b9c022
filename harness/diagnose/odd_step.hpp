// A loop tells of itself: what a rank does in a step is held against what it did in its steps before. It decides among
// the ranks of a deadlock where neither their number nor the waits say who began it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

struct OddStep {
  std::int32_t rank = 0;
  std::int32_t step = 0;
  EventRef instead;               // the first call that none of its steps before had there, or what came after the step
  std::optional<EventRef> usual;  // what stood there in the step before that agrees the longest; nothing: its end
  bool habitual = false;          // that step has a twin: the rank has a habit to break
};

// The only one of `ranks` whose calls in `step`, as far as it came, are not the beginning of one of its steps before,
// or none of them where the step is over. Without a number it is the last step of each. Needs recorded steps. Nothing
// where none or several are such, or where one has no step before: then the steps name nobody.
std::optional<OddStep> find_odd_step(const Scenario& scenario, const model::Run& run,
                                     const std::vector<std::int32_t>& ranks, std::int32_t step = kUnset);

}  // namespace petri::diagnosis

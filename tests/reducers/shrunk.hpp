// What holds of every shrunk failure, whatever its kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "reducers/engine.hpp"

namespace petri::reduce::testing {

// `petri shrink` without its command line: the model judges, the slice begins at the diagnosis.
ShrinkResult shrink_failure(const Scenario& input);

// Sentences about what does not hold: the result fails in the same way; it is made of parts of the input; nothing
// single can be taken away; it survives being written and read; shrinking it changes nothing. Empty where all is well.
std::vector<std::string> complaints_about(const Scenario& input, const ShrinkResult& result);

}  // namespace petri::reduce::testing

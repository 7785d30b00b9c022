// Running the checks, each in a process of its own.
#pragma once

#include <functional>
#include <vector>

#include "harness/cli/check.hpp"

namespace petri::cli {

// Fills in `result` and `seconds` of all checks; `ended` is called for each in their order. An interrupt leaves those
// that have not ended inconclusive (the caller holds the InterruptScope).
void run_checks(std::vector<Check>& checks, const CheckOptions& options,
                const std::function<void(const Check&)>& ended);

}  // namespace petri::cli

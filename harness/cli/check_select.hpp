// Which checks `petri check` makes.
#pragma once

#include <vector>

#include "harness/cli/check.hpp"

namespace petri::cli {

// The checks of all reproducers at or below the paths, each file once, in the order of the paths and sorted below each.
// Throws InputError for a path that holds no scenario.
std::vector<Check> select_checks(const CheckOptions& options);

}  // namespace petri::cli

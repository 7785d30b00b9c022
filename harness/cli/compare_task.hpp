// What a command line of `petri compare` asks for: the numbers, and the shapes, types and orders that they go through.
#pragma once

#include "harness/cli/compare_options.hpp"
#include "harness/compare/side_by_side.hpp"
#include "harness/report/comparison.hpp"

namespace petri::cli {

struct CompareTask {
  compare::Reductions reductions;
  ComparedNumbers numbers;
};

// Throws UsageError for what cannot be, or would not fit in memory; InputError for a scenario without such numbers.
CompareTask compare_task(const CompareArguments& arguments);

}  // namespace petri::cli

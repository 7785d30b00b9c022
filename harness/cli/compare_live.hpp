// `petri compare --live`: the same reductions on real jobs, beside their predictions.
#pragma once

#include "harness/compare/side_by_side.hpp"

namespace petri::cli {

// Runs mpirun once for each set of parameters that the configurations need, for `limit_s` seconds at most, and adds
// what was measured to `reductions`, with the reasons for what was not. Throws what
// compare::plan_measurements throws, and EnvironmentError where no job can be started: no mpirun, no worker. Returns
// the signal that interrupted it, or 0. Leaves no process or file behind.
int measure(compare::Reductions& reductions, double limit_s);

}  // namespace petri::cli

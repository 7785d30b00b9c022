// The oracles that `petri shrink` chooses from. Reducers know of none of this: to them an oracle is a function.
#pragma once

#include <string>

#include "harness/cli/live.hpp"
#include "harness/diagnose/same_failure.hpp"
#include "reducers/oracle.hpp"

namespace petri::cli {

// Fails in the same way by the model's diagnosis.
reduce::Oracle model_oracle(Failure failure, DiagnoseOptions options);

// A live replay shows `expected`. What cannot be replayed is unresolved; a missing mpirun or worker is an
// EnvironmentError. Where `failure` has a signature, the model is asked first, and what does not fail in that way by
// its rules is not replayed: a replay is judged by the same rules on what it really did, so that it could show the
// signature only by deviating from the scenario. That leaves about one launch for each candidate that is accepted.
reduce::Oracle live_oracle(Outcome expected, Failure failure, ReplayOptions options);

}  // namespace petri::cli

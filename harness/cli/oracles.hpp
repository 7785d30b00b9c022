// The oracles that `petri shrink` chooses from. Reducers know of none of this: to them an oracle is a function.
#pragma once

#include <string>

#include "harness/cli/live.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "reducers/oracle.hpp"

namespace petri::cli {

// Fails in the same way: the model's diagnosis has this signature. Another signature is a different failure, an
// ambiguous diagnosis is no answer.
reduce::Oracle model_oracle(std::string signature, DiagnoseOptions options);

// A live replay shows `expected`. What cannot be replayed is unresolved; a missing mpirun or worker is an
// EnvironmentError.
reduce::Oracle live_oracle(Outcome expected, ReplayOptions options);

// A user's program, by the reducers' convention: started in a fresh folder that holds the candidate as
// `scenario.jsonl`, whose absolute path is also its last argument; exit status 0 means interesting, 125 no answer (as
// for `git bisect run`), all others not interesting. After `limit_s` seconds it is ended with all its children: no
// answer. The folder is removed afterwards. `command` is cut into words at blanks, with quotes and backslashes as in a
// shell but without one; its program is found as a shell would find it from here. Throws UsageError for a command
// without a word, the oracle an EnvironmentError when the program cannot be started.
reduce::Oracle command_oracle(const std::string& command, double limit_s);

}  // namespace petri::cli

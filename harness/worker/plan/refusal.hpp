// Why a scenario cannot be replayed live: asked before anything starts. Free of MPI.
#pragma once

#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

// What no replay can do with this scenario, naming rank, seq and operation; empty when it can be replayed on MPI.
std::string reason_against_replay(const Scenario& scenario);

// What this machine or its MPI library lacks for it, in the same words; empty when it has all that is needed.
std::string missing_for_replay(const Scenario& scenario);

}  // namespace petri

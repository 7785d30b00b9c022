// Why a scenario cannot be replayed live: asked before anything starts. Free of MPI.
#pragma once

#include <optional>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

// What no replay can do with this scenario, naming rank, seq and operation; nothing when it can be replayed on MPI.
std::optional<Refusal> refusal_of(const Scenario& scenario);

// What this machine or its MPI library lacks for it, in the same words; nothing when it has all that is needed.
std::optional<Refusal> missing_for_replay(const Scenario& scenario);

}  // namespace petri

// Receives of which no record says what they got.
#pragma once

#include "harness/import/otf2_calls.hpp"
#include "harness/import/otf2_definitions.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Receives on kNoComm, when all ranks are there: taken to have been for any message of the one communicator on which
// more came to the rank than its other receives got; where there is none or are several, it stays unknown.
void place_otf2_receives(const Otf2Definitions& definitions, Scenario& scenario, Otf2Gaps& gaps);

}  // namespace petri

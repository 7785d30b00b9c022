// Who of several suspects began it, where the failure itself names nobody for certain: the record is asked, and the
// first witness that can tell is believed.
//
//   1. a rank's own steps: one did what it had done in none of its steps before         (odd_step.hpp)
//   2. ranks that play the same part: one parted from those that did the same until then  (like_ranks.hpp)
//   3. of two that parted from each other: what follows such calls elsewhere            (precedent.hpp)
//
// Each names one suspect and clears all the others, or says nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/diagnose/precedent.hpp"
#include "harness/model/run.hpp"

namespace petri::diagnosis {

// Makes the suspect that a witness names the culprit of the finding, and says why; false where none can tell. Suspects
// are global ranks, ascending; `step` is where they are looked at, or kUnset for where each of them stands.
bool ask_witnesses(const Scenario& scenario, const model::Run& run, const Precedents& precedents,
                   const std::vector<std::int32_t>& suspects, std::int32_t step, Finding& finding);

}  // namespace petri::diagnosis

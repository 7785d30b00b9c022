// What a call is about that only completes or starts others.
#pragma once

#include <optional>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// The call at `place`, and for a wait or test the calls whose requests it waits for: a library may find out only there
// that their arguments are wrong.
std::vector<EventRef> calls_in_progress(const Scenario& scenario, EventRef place);

// Did its thread get as far as this event in the run, or past it in the record?
bool reached(const Scenario& scenario, const model::Run& run, EventRef ref);

// The last start of a persistent call before the place where its rank stands; nothing for other calls.
std::optional<EventRef> start_of(const Scenario& scenario, const model::Run& run, EventRef made);

}  // namespace petri::diagnosis

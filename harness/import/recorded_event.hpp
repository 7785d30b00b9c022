// From a recorded event to the model's event.
#pragma once

#include "harness/import/comm_names.hpp"
#include "harness/import/process_record.hpp"

namespace petri {

// Everything but its call site, position and time. `events_lost` says that some rank's ring came round, so that
// positions on communicators must be stated.
Event to_event(const RecordedEvent& recorded, CommNames& comms, const ProcessFacts& facts, bool events_lost);

}  // namespace petri

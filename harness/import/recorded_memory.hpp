// Calls on windows and files, from the record to the model's event.
#pragma once

#include "harness/import/process_record.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// One name on all members, from the communicator that it was made over and its ordinal there: "world/w0", "world/f0".
std::string window_name(const Communicator& comm, std::int32_t ordinal);
std::string file_name(const Communicator& comm, std::int32_t ordinal);

// What is special in these calls. `peers` is the number of ranks that may be targets; `events_lost` as in to_event.
void take_window(Event& event, const RecordedEvent& recorded, const Communicator& comm, std::int32_t peers,
                 bool events_lost);
// The displacement is left in the target's unit: see WindowUnits.
void take_rma(Event& event, const RecordedEvent& recorded, const Communicator& comm, std::int32_t peers);
void take_file(Event& event, const RecordedEvent& recorded, const Communicator& comm, bool events_lost);

}  // namespace petri

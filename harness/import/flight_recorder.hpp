// PyTorch Flight Recorder dumps of a job, one file for each rank, as a scenario.
//
// A dump lists what a rank enqueued, not what it waits for. Each rank is taken to wait in its oldest call that is not
// over, of whatever group: so its calls stand in the scenario as if each blocked it. What others prove completed is
// completed, also where a rank's own dump was written too early to show it: such a record ends `cut`. Ranks without a
// dump end `missing`; positions before a record's first call are `joined`.
#pragma once

#include "harness/import/foreign.hpp"

namespace petri {

bool is_flight_dump(const TraceFile& file);

// A dump that cannot be read is left out, with a warning. Throws InputError where none can be read, and where the names
// of the files do not tell their ranks (flight_ranks.hpp).
Scenario read_flight_dumps(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

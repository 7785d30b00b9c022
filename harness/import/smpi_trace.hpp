// Time-independent traces of SimGrid's SMPI (smpirun -trace-ti): what ranks called, without when. One file for each
// rank and an index that lists them, or one file for all.
#pragma once

#include <vector>

#include "harness/import/foreign.hpp"

namespace petri {

// By their first lines: actions of ranks; or, where files lie in folders, names of files that are such.
bool recognizes_smpi(const TraceFile& file);

// Ranks of messages are the world's (SimGrid, src/smpi/bindings); communicators are not recorded, so all calls are
// taken to be on the world. The last action of a rank that does not finalize is in flight. Throws InputError, with file
// and line, for what is no action.
Scenario read_smpi(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

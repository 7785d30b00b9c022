// Chakra execution traces (.et): one file for each rank, a graph of what it computes and communicates. Converted from a
// profiler's traces, or made for simulators as a workload of its own.
//
// The order of a rank's calls is that of their dependencies; among those that depend on nothing further, of their ids.
// Of a call on a device, the node of the host that launches it is none: those have no kind of collective.
// Sources: see chakra_file.hpp; mlcommons/chakra src/converter/pytorch_converter.py and text_converter.py (attributes).
#pragma once

#include "harness/import/foreign.hpp"

namespace petri {

bool is_chakra_trace(const TraceFile& file);

// Throws InputError for a file that is broken inside, for more nodes than are read, where no file has any
// communication, and as TracedJob.
Scenario read_chakra_traces(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

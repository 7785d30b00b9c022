// PyTorch execution traces: JSON, a node for each operation that the host of one rank ran, one file for each rank.
//
// Sources: pytorch torch/csrc/profiler/standalone/execution_trace_observer.cpp (schemas 1.0.1 to 1.1.1: the list of
// nodes; arguments of calls as attributes from 1.1.0 on), torch/csrc/distributed/c10d/ParamCommsUtils.hpp (positions of
// a call's inputs), facebookresearch/param et_replay/comm/commsTraceParser.py (how these are meant),
// torch/distributed/distributed_c10d.py (the groups, as a JSON text in the input of "process_group:init").
//
// A node is written when its operation returned. For a call on a device this means that it was enqueued.
#pragma once

#include "harness/import/foreign.hpp"

namespace petri {

bool is_pytorch_et(const TraceFile& file);

// Throws InputError, with the line, for a node that is broken, and as JsonPieces and TracedJob.
Scenario read_pytorch_ets(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

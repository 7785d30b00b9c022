// Traces of PyTorch's profiler (Kineto): Chrome trace events as JSON, one file for each rank and window of time.
//
// Sources: pytorch/kineto libkineto/src/output_json.cpp (the file, arguments of kernels), pytorch
// torch/csrc/profiler/util.cpp (saveNcclMeta: arguments of calls), torch/profiler/profiler.py (distributedInfo).
//
// A call is an operation of the host, record_param_comms, and one or more kernels on the device, which name it by its
// "External id". Where a file has no operations of the host, its kernels stand for the calls. A call was completed
// where its kernel is there, or where the file has no kernels to tell; it was only scheduled where the kernels of its
// group stop before it.
#pragma once

#include "harness/import/foreign.hpp"

namespace petri {

bool is_kineto_trace(const TraceFile& file);

// Throws InputError, with the line, for an event that is broken, and as JsonPieces and TracedJob.
Scenario read_kineto_traces(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

// Logs of NCCL and RCCL: NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL, one file or one for each process, as they
// are or with what launchers and programs wrote between. Formats: nccl_log_line.hpp, nccl_log_call.hpp.
//
// A log shows that a call was made, not that it ended. Streams are not kept: each rank is taken to wait in its oldest
// call that is not over.
#pragma once

#include "harness/import/foreign.hpp"

namespace petri {

bool is_nccl_log(const TraceFile& file);

// Throws InputError where no communicator is in any of the files.
Scenario read_nccl_log(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

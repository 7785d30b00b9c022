// A row of logged calls as a rank's events.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/import/nccl_log_rows.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Writes a mended row into a rank's trace, whose end it leaves. `comms` are the scenario's communicators by life: all
// that the row names are there. Calls of one launch, which share communicator and opCount, stand between group_start
// and group_end where there are messages among them: their order is free then. A call is `completed` where its
// communicator was destroyed (commDestroySync in NVIDIA/nccl src/init.cc waits for what was launched), else
// `scheduled`; one after which NCCL warned of an error has that error and is `started`. Returns the first error of a
// row without events.
std::string write_calls(LogRow row, const LogJob& job, const std::vector<std::int32_t>& comms, RankTrace& trace);

}  // namespace petri

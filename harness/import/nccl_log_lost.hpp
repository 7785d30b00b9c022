// Calls whose lines a log has lost, by the numbers of launches (opCount).
//
// A communicator numbers its launches on each of its ranks (comm->opCount, NVIDIA/nccl src/enqueue.cc): where one
// rank's numbers leave out some that other ranks have, the line is lost and the call was made. Not so where the launch
// before had several calls, as these may take several numbers, and not on communicators with messages, which are
// numbered, too, and not on all ranks alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/import/nccl_log_rows.hpp"

namespace petri {

// What became of the rows that have gaps.
struct LostCalls {
  std::uint64_t restored = 0;
  std::vector<std::size_t> restored_in, cut;  // actors
};

// Puts the calls of the other ranks into the gaps, at the place that they have there; arguments in which the others
// differ are unknown. Where the others disagree about the operation, or the place is not proved, the row ends before
// the gap, as what follows has no known position. Rows are by actor, and mended.
LostCalls restore_lost(std::vector<LogRow>& rows, const LogJob& job, const LogRanks& ranks);

}  // namespace petri

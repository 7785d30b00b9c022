// The calls of each rank, out of those of its process.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/import/nccl_log_ranks.hpp"

namespace petri {

// What one actor of a log did, in order; the parts are those of LogProcess. Lives are still places in LogJob::lives.
struct LogRow {
  std::vector<Event> events;
  std::vector<std::uint32_t> op_counts;
  std::vector<double> times;
  std::vector<TornCall> torn;
  std::vector<LoggedError> errors, consequences;
};

// By actor. Takes the calls out of the job. What a process with several devices wrote of a device that has no
// communicator is left out.
std::vector<LogRow> rows_of(LogJob& job, const LogRanks& ranks);

// Gives torn calls back their communicator where the numbers of launches (opCount) prove it: a communicator's launches
// are numbered without gaps, so that a call with its operation and number fits in one place. What is not proved ends
// the row, as the positions of all calls behind it are unknown; returns whether there was such a call.
bool mend(LogRow& row);

}  // namespace petri

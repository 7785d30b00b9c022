// All files of an NCCL or RCCL log, taken together: which processes there are.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/import/nccl_log_part.hpp"

namespace petri {

struct LogJob {
  std::vector<LogProcess> processes;
  std::vector<CommLife> lives;
  std::string version;
  std::map<std::string, std::uint64_t> advice, foreign_calls;
  std::uint64_t unreadable = 0;
  std::vector<std::string> repeated;  // files that hold what another one had of a process
};

// Reads the files with several threads. A process is known by host and number, and by its communicators where two
// containers on one host have the same; it may have written into several files, one after the other. What a file
// repeats, as a copy of the launcher's output beside the files of NCCL_DEBUG_FILE does, is left out.
LogJob read_log_job(const std::vector<TraceFile>& files);

}  // namespace petri

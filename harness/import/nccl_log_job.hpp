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
  std::uint64_t repeated_calls = 0;          // that are left out, as the same ones are there already …
  std::vector<std::string> repeating_files;  // … in a file of these or in another one
};

// Reads the files with several threads. A process is known by host and number, and by its communicators where two
// containers on one host have the same; it may have written into several files, one after the other. What is written
// twice, in one file or in several, is taken once (nccl_log_history.hpp). Throws as read_log_part().
LogJob read_log_job(const std::vector<TraceFile>& files);

}  // namespace petri

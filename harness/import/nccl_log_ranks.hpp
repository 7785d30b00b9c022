// Which ranks a log's processes are, and which of their communicators are one.
//
// A communicator is known by its commId, a split by its parent, its number there and its color. What has neither, or
// one that several groups share (releases before 2.13; splits of 2.18), is known by its size and its number among those
// of that size, where that leaves one group. A rank of the job is a rank of its largest communicator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/import/nccl_log_job.hpp"

namespace petri {

// Who calls: a process with one CUDA device. Most processes have one.
struct LogActor {
  std::uint32_t process = 0;
  std::int32_t device = 0;
  std::int32_t rank = -1;  // -1: of another job or run, and left out
};

struct LogComm {
  std::string name;
  std::vector<std::int32_t> actors;  // by rank in it; -1: no log is there
  std::vector<std::int32_t> ranks;   // the same as ranks of the job; empty where not all are known
  bool is_world = false;
  bool unfinished = false;  // of some rank the log shows the beginning of its creation only
  std::uint32_t first_life = 0;
};

struct LogRanks {
  std::int32_t world = 0;
  std::vector<LogActor> actors;
  std::vector<LogComm> comms;
  std::vector<std::int32_t> actor_of_life, comm_of_life;  // -1 of a communicator that cannot be joined: left out
};

// Throws InputError, with the name of the source, where there are more ranks than a job can have.
LogRanks ranks_of(const LogJob& job, const std::string& source, ImportNotes& notes);

}  // namespace petri

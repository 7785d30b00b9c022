// One file of an NCCL or RCCL log: the processes that wrote into it, their communicators and their calls.
//
// It is read in pieces: memory grows with the calls, about 70 bytes each, not with the bytes of the log.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/import/trace_files.hpp"
#include "harness/trace/event.hpp"

namespace petri {

// A communicator as one of its ranks has it, from its creation to its end: a pointer belongs to one process, and is
// used again.
struct CommLife {
  std::uint32_t process = 0;
  std::uint64_t pointer = 0;
  std::int32_t rank = -1, nranks = -1;  // -1: the log does not tell
  std::int32_t device = -1;             // the CUDA device
  std::optional<std::uint64_t> id;      // one number on all of its ranks
  std::int32_t parent = -1;             // of a split: another life of this process; -1 also where that is not known
  std::optional<std::int64_t> split, color;
  bool is_split = false;
  bool started = false, complete = false, destroyed = false, aborted = false;
  std::uint64_t first_op = 0, last_op = 0;  // opCount of its first and last call
  std::uint32_t calls = 0;
  bool has_messages = false;  // or one-sided ones, among its calls

  void count(std::uint64_t op_count) {
    first_op = calls == 0 ? op_count : std::min(first_op, op_count);
    last_op = std::max(last_op, op_count);
    ++calls;
  }
};

struct TornCall {
  std::uint32_t at = 0;  // its place among the events
  std::int32_t device = 0;
  std::optional<Op> op;
  std::optional<std::uint64_t> op_count;
};

struct LoggedError {
  std::uint32_t before = 0;  // so many events were there when it came
  std::int32_t device = 0;
  std::string text;
};

struct LogProcess {
  std::string host;
  std::int32_t pid = 0;
  // Calls in the order of the log, each `scheduled`; `comm` is a place in the lives, kNoComm of a torn call, whose
  // event only holds its place. A comm_init_rank, with the life in `new_comm`, for each creation that the log shows.
  std::vector<Event> events;
  std::vector<std::uint32_t> op_counts;  // by event, their lower half
  std::vector<std::uint32_t> prints;     // by event: the same number for the same text (nccl_log_history.hpp)
  std::vector<double> times;             // by event, NaN where not stated; shorter where none is from there on
  std::vector<TornCall> torn;
  std::vector<LoggedError> errors, consequences;           // the first after each event
  std::unordered_map<std::uint64_t, std::uint32_t> lives;  // by pointer: the latest
  bool begins = false;                                     // the log has what a process writes first
};

struct LogPart {
  std::vector<LogProcess> processes;
  std::vector<CommLife> lives;
  std::string version;                                 // "NCCL version 2.21.5+cuda12.4", the first that is there
  std::map<std::string, std::uint64_t> advice;         // warnings that are no errors, some of them, and how often
  std::map<std::string, std::uint64_t> foreign_calls;  // of operations that a scenario does not know, by name
  std::uint64_t unreadable = 0;                        // calls of which not even the process can be read
  std::uint64_t repeated = 0;                          // calls that are left out, as they stand there already
};

// Throws InputError for more processes than a job can have ranks, and for more calls of one process than are read.
LogPart read_log_part(const TraceFile& file);

}  // namespace petri

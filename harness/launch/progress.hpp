// What the ranks of a running job are doing, from the counters in their records.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/trace/record_view.hpp"

namespace petri {

// One look at all ranks. Two looks with equal `moves` and `records` saw no progress between them.
struct Progress {
  std::uint64_t moves = 0;  // events begun plus events completed, over all ranks; failed polls do not count
  std::uint64_t polls = 0;  // failed polls, over all ranks
  int records = 0;          // processes that record
  int expected = 0;         // size of their world; more than `records` while some have not started, or run elsewhere
  int waiting = 0;          // of those: inside a call
  int running = 0;          // not ended, and inside no call: they compute, or poll
  int gone = 0;             // of the processes that record: dead, whatever their launcher does; on this host only
  bool all_gone() const { return records > 0 && records >= expected && gone == records; }
  bool same_place(const Progress& other) const { return moves == other.moves && records == other.records; }
};

// How the first rank that died without a word ended, as far as the launcher's exit status tells.
struct RankDeath {
  std::int32_t rank = 0;
  int signal = 0;  // 0: not known, or none
  int status = 0;  // exit status, where it was no signal
};

// The records of one job, found as its processes make them. Also tells in which order the processes died: the launcher
// ends all others as soon as one is gone, so only the first death is a cause.
class JobRecords {
 public:
  explicit JobRecords(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~JobRecords();
  JobRecords(const JobRecords&) = delete;
  JobRecords& operator=(const JobRecords&) = delete;

  // Looks for new records (a folder listing) and reads all counters.
  Progress look();

  // Waits up to `wait_ms` for `descriptor` to be readable or for a process to die, and notes the deaths.
  void wait(int descriptor, int wait_ms);

  // Starts a measurement of processor time; `starved_since_mark` is true when a process that is inside a call has
  // neither run nor slept of its own will since: it may be about to leave its call and only lacks a processor.
  void mark_processor_time();
  bool starved_since_mark() const;

  // World rank of the process whose death was the first without a word in its record, if that came before any process
  // that said that it aborts or exits. Nothing where a process of another host went without a word: it may have been
  // the first.
  std::optional<std::int32_t> first_silent_death() const;

  // True when some process has died without a word.
  bool silent_death() const;

  // True when some process is on another host, or lives outside the tree below `ancestor` as those of Slurm do: it does
  // not end by that tree being killed.
  bool reach_beyond(pid_t ancestor) const;

  bool empty() const { return members_.empty(); }

 private:
  struct Member {
    record::RecordView view;
    pid_t process;         // 0: on another host, where numbers of processes mean nothing
    int death_descriptor;  // readable when the process is gone; -1 where there is none
    int death_round = 0;   // deaths noted in one wait share a round; 0: alive, or not known
    std::uint64_t marked_ns = 0;
  };
  void find_new();
  void note_deaths();

  std::filesystem::path folder_;
  std::vector<Member> members_;
  std::unordered_map<std::string, bool> seen_;
  int round_ = 0;
};

}  // namespace petri

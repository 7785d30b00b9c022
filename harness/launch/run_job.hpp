// One job, from its start to the moment when nothing of it is left.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/launch/guardian.hpp"
#include "harness/launch/progress.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// What the deadlock test says of the positions in a recording.
struct Proof {
  bool stalled = false;        // some rank can never go on
  bool assumes_polls = false;  // … if a loop that polls waits for nothing else
  // Not proved from the calls: but each rank is in a call or known to do nothing more, so that it will stay as it is
  // unless a call is only slow.
  bool settled = false;
  bool needs_time() const { return assumes_polls || settled; }
};

struct JobOptions {
  GuardedCommand command;           // `run_job` adds what the recorder and the launcher need to its environment
  std::filesystem::path recorder;   // libpetri_record.so; empty: nothing is recorded, and no deadlock is proved
  std::filesystem::path recording;  // the folder of records, one that all hosts share; empty: in the run folder
  bool strict = false;              // make visible what buffering and early returns hide
  bool digests = false;             // digests of buffers
  bool buffers = false;             // which memory calls read and write
  std::optional<std::uint64_t> ring_mib;
  bool capture_output = false;      // keep what the job prints in JobResult::output
  std::optional<double> timeout_s;  // stop after so long without progress; nothing: see kDefaultTimeout_s
  std::optional<double> limit_s;    // stop after so long in any case
  double stop_grace_s = 0.3;  // between SIGTERM to the launcher and SIGKILL to all; longer where it has ranks elsewhere

  // The command is a launcher and nothing else: it is killed so long after all ranks are gone. Open MPI's mpirun
  // sometimes stays for ever when a rank aborts.
  std::optional<double> launcher_grace_s;

  std::stop_token stop;  // the job is of no more use: it ends as if petri were interrupted

  // Called with the run folder: may complete the command. Files are put there by `prepare` of the command itself.
  std::function<void(const std::filesystem::path&, GuardedCommand&)> prepare;
  // Both get the recording's folder. `prove` is asked while the job runs. `harvest` is called once: when petri is about
  // to stop the job (it still stands where it stood), or when the job has ended by itself; not when nothing was
  // recorded.
  std::function<Proof(const std::filesystem::path&)> prove;
  std::function<void(const std::filesystem::path&)> harvest;

  // Gets the run folder when the job is over, however it ended, and before the folder is removed: takes what the job
  // left there. `room` is what it may need beside a recording, in bytes.
  std::function<void(const std::filesystem::path&)> collect;
  std::uint64_t room = 0;
};

struct JobResult {
  enum class End { by_itself, stalled, timed_out, interrupted };
  End end = End::by_itself;
  Proof proof;                   // when stalled
  CommandEnd command;            // how the launcher ended, also after it was stopped
  bool recorded = false;         // some process made a record; false: it is no MPI program, or it ended before init
  double seconds = 0;            // from the start to the end or to the decision to stop
  double quiet_s = 0;            // without progress before that decision
  int tests = 0;                 // how often the deadlock test was asked …
  double testing_s = 0;          // … and what that took
  bool launcher_stayed = false;  // all ranks were gone, and it had to be killed: its status says nothing of them
  int interrupted_by = 0;        // the signal that petri got; 0 where the stop token was set
  std::optional<RankDeath> first_death;  // a rank that died without a word, before all others
  std::string output;                    // with capture_output: at most the last 64 KiB
  bool hung() const { return end == End::stalled || end == End::timed_out; }
};

// Runs the job, watches it, stops it when it is proved to hang, times out or petri is interrupted (interrupt.hpp).
// Throws EnvironmentError when the command cannot be started. When it returns or throws, no process, file or
// shared-memory segment of the job is left. May be called from several threads.
JobResult run_job(const JobOptions& options);

// Gives the rank that died first its end in `recorded`: the launcher's own kills are no cause. Does nothing where no
// rank died without a word.
void apply_first_death(const JobResult& result, Scenario& recorded);

}  // namespace petri

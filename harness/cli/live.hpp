// Live replay: a scenario's real calls under mpirun, recorded and judged like any other job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/launch/run_job.hpp"
#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/account.hpp"

namespace petri::cli {

// Waits before an event of a rank; `seq` is the event's own number.
struct Delay {
  std::int32_t rank = 0;
  std::uint32_t seq = 0;
  double ms = 0;
};

struct ReplayOptions {
  bool strict = false;      // every send waits for its receive, every collective for all its members
  bool free_order = false;  // wildcards take what comes, also where `matched` says what they took
  std::vector<Delay> delays;
  std::optional<double> timeout_s;  // without progress
  std::optional<double> limit_s;    // in all
  DiagnoseOptions diagnose;
  std::stop_token stop;  // the answer is of no more use
  std::string source;    // the scenario's file, where it has one: a refusal names the line
};

struct ReplayResult {
  Scenario recorded{1};   // what the replay did, event for event, with the original's seq, step, microbatch and site
  Diagnosis diagnosis;    // of `recorded`
  JobResult job;          // how it ended; its `output` is what launcher and library printed
  Scenario recording{1};  // what the recorder saw of it, in its own names
  ReplayState state;      // which of that belongs to which event
};

// Runs the scenario once. Throws EnvironmentError when mpirun, the worker, the recorder or the backend's library is
// missing, InputError with file and line when the scenario holds what
// a replay cannot perform, before anything starts. One that was interrupted before a rank had begun tells `job` alone.
// Leaves nothing behind. May be called from several threads.
ReplayResult replay_scenario(const Scenario& scenario, const ReplayOptions& options);

// What a replay should show: `expect`, its missing parts completed by the diagnosis of the scenario itself.
Outcome expected_outcome(const Scenario& scenario, const DiagnoseOptions& options);

// True when the replay failed in the expected way: the same signature, and for a deadlock it really hung. A scenario
// that is expected to complete must have completed.
bool shows(const ReplayResult& replay, const Outcome& expected);

// Programs that belong to petri and lie beside it. Throw EnvironmentError when they are missing (a build without MPI).
std::filesystem::path recorder_library();  // $PETRI_RECORDER or ../lib/libpetri_record.so
std::filesystem::path worker_program();    // $PETRI_WORKER or petri-worker in petri's own folder

}  // namespace petri::cli

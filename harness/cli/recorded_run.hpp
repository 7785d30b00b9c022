// A program under the recorder and the watch: what `petri record` and `petri check --run-commands` share.
#pragma once

#include <optional>
#include <string>

#include "harness/launch/run_job.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

struct RecordedRun {
  JobResult job;
  std::optional<Scenario> scenario;  // with the command as its origin and what the job's end adds to the record
  std::string why_not;               // where nothing can be diagnosed: the reason
};

// Runs the job with the recorder, stops it when it is proved to hang, and imports what it left. `job` says all but
// recorder, proof and harvest. Throws what run_job throws.
RecordedRun run_recorded(JobOptions job);

// Did the launcher end by itself with something else than success?
bool ended_badly(const JobResult& job);

}  // namespace petri::cli

#include "harness/cli/run_report.hpp"

#include <fmt/core.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace petri::cli {
namespace {

const char* basis_of(const Proof& proof) {
  if (proof.settled) return "each rank is in a call or has nothing more to do";
  return proof.assumes_polls ? "no rank can go on (polling loops taken for waits)" : "no rank can go on";
}

}  // namespace

std::string describe(const CommandEnd& end) {
  if (end.signal == 0) return fmt::format("status {}", end.status);
  return fmt::format("signal {} ({})", end.signal, strsignal(end.signal));
}

std::string describe_run(const JobResult& job) {
  switch (job.end) {
    case JobResult::End::by_itself:
      if (job.launcher_stayed)
        return fmt::format("all ranks ended; mpirun stayed, and was killed {:.1f} s after the job's start",
                           job.seconds);
      return fmt::format("the job ended by itself after {:.1f} s with {}", job.seconds, describe(job.command));
    case JobResult::End::stalled:
      return fmt::format("the job hung: stopped {:.1f} s after its start and {:.2f} s after its last progress, as {}",
                         job.seconds, job.quiet_s, basis_of(job.proof));
    case JobResult::End::timed_out:
      return fmt::format(
          "time-out, which is no proof of a deadlock: stopped {:.1f} s after the job's start and {:.1f} s after "
          "its last progress",
          job.seconds, job.quiet_s);
    case JobResult::End::interrupted:
      return fmt::format("interrupted: stopped {:.1f} s after the job's start", job.seconds);
  }
  return {};
}

nlohmann::ordered_json run_as_json(const JobResult& job) {
  constexpr const char* kEnds[] = {"by itself", "stalled", "timed out", "interrupted"};
  nlohmann::ordered_json run;
  run["end"] = kEnds[static_cast<int>(job.end)];
  run["proved"] = job.end == JobResult::End::stalled && !job.proof.settled;
  run["assumes_polls"] = job.proof.assumes_polls;
  run["seconds"] = job.seconds;
  run["quiet_seconds"] = job.quiet_s;
  run["deadlock_tests"] = job.tests;
  run["testing_seconds"] = job.testing_s;
  if (job.end == JobResult::End::by_itself) {
    run["status"] = job.command.status;
    run["signal"] = job.command.signal;
  }
  return run;
}

}  // namespace petri::cli

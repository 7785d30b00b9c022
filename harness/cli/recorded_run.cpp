#include "harness/cli/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/live.hpp"
#include "harness/cli/missing_records.hpp"
#include "harness/cli/run_report.hpp"
#include "harness/diagnose/stall.hpp"
#include "harness/import/recording.hpp"
#include "harness/launch/interpreter.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/trace/error.hpp"

extern char** environ;

namespace petri::cli {
namespace {

constexpr std::size_t kLongestQuote = 300;  // bytes of a command that a message repeats

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// The launcher's settings that the user has made, beside what the recorder itself noted.
void note_environment(Header& header) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    if (!text.starts_with("OMPI_MCA_") && !text.starts_with("PRTE_MCA_") && !text.starts_with("UCX_")) continue;
    const std::string name(text.substr(0, equals));
    const bool known = std::any_of(header.environment.begin(), header.environment.end(),
                                   [&](const auto& pair) { return pair.first == name; });
    if (!known) header.environment.emplace_back(name, text.substr(equals + 1));
  }
}

Proof prove_from(const std::filesystem::path& folder) {
  try {
    const Stall stall = prove_stall(import_recording(folder, {.call_sites = false}));
    return {.stalled = !stall.ranks.empty(), .assumes_polls = stall.assumes_polls, .settled = stall.by_mismatch};
  } catch (const InputError&) {
    return {};  // some rank is only beginning its record
  }
}

void complete_header(Header& header, const JobResult& job, const std::vector<std::string>& command) {
  header.origin = Origin{joined(command), {}, {}};
  if (job.hung()) header.observed = Outcome{Verdict::deadlock, {}, false};
  note_environment(header);
}

std::string why_nothing_was_recorded(const JobResult& job, const std::vector<std::string>& command) {
  std::string why = "nothing was recorded: ";
  std::string quoted = joined(command);
  if (quoted.size() > kLongestQuote) quoted.replace(kLongestQuote, std::string::npos, "…");
  if (ended_badly(job)) {
    why += fmt::format("'{}' ended with {} before any process had called MPI_Init", quoted, describe(job.command));
  } else {
    why += fmt::format(
        "no process of '{}' called MPI_Init through a shared MPI library (is it an MPI program, linked "
        "dynamically, on this host?)",
        quoted);
  }
  if (const std::string reason = why_no_record(command); !reason.empty()) why += "; " + reason;
  return why;
}

}  // namespace

bool ended_badly(const JobResult& job) {
  return job.end == JobResult::End::by_itself && (job.command.status != 0 || job.command.signal != 0);
}

RecordedRun run_recorded(JobOptions job) {
  const std::string& program = job.command.arguments.front();
  if (const std::string problem = interpreter_problem(find_program(program)); !problem.empty())
    throw EnvironmentError(fmt::format("{} cannot be started: {}", program, problem));
  RecordedRun run;
  job.recorder = recorder_library();
  job.prove = prove_from;
  job.harvest = [&](const std::filesystem::path& folder) {
    try {
      run.scenario = import_recording(folder, {.gone_were_killed = false});
    } catch (const InputError& error) {
      run.why_not = std::string("there is no scenario of this run: ") + error.what();
    }
  };
  run.job = run_job(job);
  const std::vector<std::string>& command = job.command.arguments;
  if (run.scenario) {
    apply_first_death(run.job, *run.scenario);
    complete_header(run.scenario->header, run.job, command);
  } else if (run.why_not.empty()) {
    run.why_not = why_nothing_was_recorded(run.job, command);
  }
  return run;
}

}  // namespace petri::cli

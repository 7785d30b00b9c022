#include "harness/cli/live.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/command.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/diagnose/stall.hpp"
#include "harness/import/recording.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/find_line.hpp"
#include "harness/trace/write.hpp"
#include "harness/worker/plan/account.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/refusal.hpp"

namespace petri::cli {
namespace {

constexpr double kLauncherGrace_s = 3;   // for mpirun to end when all ranks are gone
constexpr double kReplayTimeout_s = 60;  // without progress; proved and settled replays end long before

// What was read from the recording's folder while it was there.
struct Harvest {
  Scenario recording{1};
  ReplayState state;
  WorkerRefusal refusal;  // why the worker performed nothing
};

Harvest harvest_from(const std::filesystem::path& folder, std::int32_t world) {
  // The state first: a rank that idles by then has recorded all that it ever will.
  ReplayState state = read_replay_state(folder, world);
  Scenario recording = import_recording(folder, {.call_sites = false, .gone_were_killed = false});
  return {std::move(recording), std::move(state), refusal_in(folder)};
}

Proof prove(const Scenario& scenario, const std::filesystem::path& folder) {
  try {
    const Harvest seen = harvest_from(folder, scenario.world());
    const Stall stall = prove_stall(account_of(scenario, seen.recording, seen.state));
    if (!stall.ranks.empty())
      return {.stalled = true, .assumes_polls = stall.assumes_polls, .settled = stall.by_mismatch};
    // Not proved from the calls alone: a rank might go on. But here all ranks that are in no call idle, by the worker's
    // word. Whose partners have all come is only slow; what the model does not know of a call's slowness is waited for
    // as long as for polls.
    if (!stall.may_be_slow && seen.state.settled(scenario, seen.recording)) return {.stalled = true, .settled = true};
  } catch (const InputError&) {
    // Some rank is only beginning its record.
  }
  return {};
}

std::vector<std::string> worker_arguments(const std::filesystem::path& scenario, const std::filesystem::path& files,
                                          const ReplayOptions& options) {
  std::vector<std::string> arguments{scenario.string(), "--files", files.string()};
  if (options.free_order) arguments.emplace_back("--free-order");
  for (const Delay& delay : options.delays) {
    arguments.emplace_back("--delay");
    arguments.push_back(fmt::format("{}:{}:{}", delay.rank, delay.seq, delay.ms));
  }
  return arguments;
}

// In front of a refusal: the line that asks for what cannot be done.
InputError at_its_line(const Refusal& refusal, const Scenario& scenario, const std::string& source) {
  const bool is_file = !source.empty() && std::filesystem::is_regular_file(source);
  const std::size_t line = is_file && refusal.at ? line_of(source, *refusal.at) : 0;
  const std::string& job = scenario.header.job;
  return {!source.empty() ? source : job.empty() ? "scenario" : job, line, 0, refusal.reason};
}

void refuse_what_cannot_be_replayed(const Scenario& scenario, const std::string& source) {
  if (needs_nccl(scenario)) {
    throw EnvironmentError(
        "this scenario needs the backend nccl for its streams and groups, and this petri has no NCCL worker; only MPI "
        "is "
        "replayed");
  }
  if (const auto refusal = refusal_of(scenario)) throw at_its_line(*refusal, scenario, source);
  if (const auto missing = missing_for_replay(scenario))
    throw EnvironmentError(
        fmt::format("this replay cannot run here: {}", at_its_line(*missing, scenario, source).what()));
}

// The worker has the last word: what it alone can know, as whether the library grants threads.
void refuse_what_was_refused(const WorkerRefusal& refusal, const Scenario& scenario, const std::string& source) {
  if (refusal.reason.empty()) return;
  if (refusal.status == kBadInput) throw at_its_line({refusal.reason, std::nullopt}, scenario, source);
  throw EnvironmentError("this replay cannot run here: " + refusal.reason);
}

// Headers say where something was recorded; a replay is its own recording.
void describe_run(Scenario& account, const Scenario& recording, const JobResult& job) {
  Header& header = account.header;
  header.hosts = recording.header.hosts;
  header.environment = recording.header.environment;
  header.expect.reset();
  header.observed.reset();
  if (job.hung() && !job.proof.settled) header.observed = Outcome{Verdict::deadlock, {}, false};
}

bool failed(const JobResult& job) {
  return job.end == JobResult::End::by_itself && (job.command.status != 0 || job.command.signal != 0);
}

// True when the ranks have begun every event that the root cause points at.
bool root_cause_was_reached(const Diagnosis& diagnosis, const Scenario& account) {
  if (diagnosis.findings.empty()) return false;
  const std::vector<EventRef>& events = diagnosis.findings.front().events;
  return std::all_of(events.begin(), events.end(), [&](const EventRef& ref) {
    return ref.index < account.ranks[static_cast<std::size_t>(ref.rank)].events.size();
  });
}

// The library refused a call that the scenario's rank must not make, and its rank ended there.
bool was_refused(const Diagnosis& diagnosis) {
  if (diagnosis.verdict != Verdict::rank_error || diagnosis.findings.front().events.empty()) return false;
  const EventRef last = diagnosis.findings.front().events.front();
  return std::any_of(diagnosis.findings.begin(), diagnosis.findings.end(), [&](const Finding& finding) {
    return finding.kind == Verdict::misuse && !finding.events.empty() && finding.events.front() == last;
  });
}

void apply_death(JobResult job, const Scenario& scenario, const ReplayState& state, Scenario& told) {
  if (!job.first_death) return;
  const auto rank = static_cast<std::size_t>(job.first_death->rank);
  if (state.idle[rank]) return;  // it rested, and went when all did
  const RankEnd& original = scenario.ranks[rank].end;
  // Where the scenario does not know the signal, the worker's choice says nothing.
  if (original.kind == EndKind::signal && original.signal == 0) *job.first_death = {job.first_death->rank, 0, 0};
  apply_first_death(job, told);
}

void judge(ReplayResult& result, const Scenario& scenario, const Harvest& seen, const ReplayOptions& options) {
  const auto account = [&](auto make) {
    Scenario told = make(scenario, seen.recording, seen.state);
    describe_run(told, seen.recording, result.job);
    apply_death(result.job, scenario, seen.state, told);
    return told;
  };
  result.recorded = account(account_of);
  result.diagnosis = diagnose(result.recorded, options.diagnose);
  if (result.job.end == JobResult::End::by_itself && !failed(result.job)) return;

  // A mismatch can stop a run (block it, or crash the library) before the later events that make it worse. Then the run
  // shows the failure that those would have shown, if it got as far as its root cause.
  Scenario whole = account(account_with_rest);
  // Then it is the mismatch, or the misuse, that ended its ranks, and they would have gone on to their own ends.
  if (result.diagnosis.verdict == Verdict::mismatch || result.diagnosis.verdict == Verdict::deadlock ||
      was_refused(result.diagnosis))
    for (std::size_t rank = 0; rank < whole.ranks.size(); ++rank) whole.ranks[rank].end = scenario.ranks[rank].end;
  Diagnosis diagnosis = diagnose(whole, options.diagnose);
  if (diagnosis.signature == result.diagnosis.signature ||
      diagnosis.signature != expected_outcome(scenario, options.diagnose).signature)
    return;
  if (!root_cause_was_reached(diagnosis, result.recorded)) return;
  result.recorded = std::move(whole);
  result.diagnosis = std::move(diagnosis);
}

}  // namespace

ReplayResult replay_scenario(const Scenario& scenario, const ReplayOptions& options) {
  refuse_what_cannot_be_replayed(scenario, options.source);
  ReplayResult result;
  Harvest seen;
  JobOptions job;
  job.command = mpirun_command(scenario.world(), worker_program(), {});
  job.recorder = recorder_library();
  job.strict = options.strict;
  job.capture_output = true;
  job.timeout_s = options.timeout_s.value_or(kReplayTimeout_s);
  job.limit_s = options.limit_s;
  job.stop = options.stop;
  job.launcher_grace_s = kLauncherGrace_s;
  job.stop_grace_s = 0;  // all that the launcher would clean up lies in the run folder
  job.prepare = [&](const std::filesystem::path& folder, GuardedCommand& command) {
    const std::filesystem::path file = folder / "scenario.jsonl";
    const std::filesystem::path files = folder / "files";
    command.prepare = [&scenario, file, files] {
      write_scenario(scenario, file);
      std::filesystem::create_directory(files);
    };
    for (std::string& argument : worker_arguments(file, files, options))
      command.arguments.push_back(std::move(argument));
  };
  job.prove = [&](const std::filesystem::path& folder) { return prove(scenario, folder); };
  job.harvest = [&](const std::filesystem::path& folder) { seen = harvest_from(folder, scenario.world()); };
  result.job = run_job(job);
  if (!result.job.recorded && result.job.end == JobResult::End::interrupted) return result;  // before it had begun
  if (!result.job.recorded) {
    throw EnvironmentError(fmt::format("the replay did not start: {} ended with status {}{}{}",
                                       job.command.arguments[0], result.job.command.status,
                                       result.job.output.empty() ? "" : "\n", result.job.output));
  }
  refuse_what_was_refused(seen.refusal, scenario, options.source);
  judge(result, scenario, seen, options);
  result.recording = std::move(seen.recording);
  result.state = std::move(seen.state);
  return result;
}

Outcome expected_outcome(const Scenario& scenario, const DiagnoseOptions& options) {
  Outcome expected = scenario.header.expect.value_or(Outcome{});
  if (expected.verdict && !expected.signature.empty()) return expected;
  const Diagnosis diagnosis = diagnose(scenario, options);
  if (!expected.verdict) expected.verdict = diagnosis.verdict;
  if (expected.signature.empty() && expected.verdict == diagnosis.verdict) expected.signature = diagnosis.signature;
  return expected;
}

bool shows(const ReplayResult& replay, const Outcome& expected) {
  if (expected.verdict && replay.diagnosis.verdict != *expected.verdict) return false;
  if (!expected.signature.empty() && replay.diagnosis.signature != expected.signature) return false;
  // A mismatch that leads to a deadlock may also crash the library before (judge).
  if (expected.verdict == Verdict::deadlock) return replay.job.hung() || failed(replay.job);
  if (expected.verdict == Verdict::completes) {
    return replay.job.end == JobResult::End::by_itself && replay.job.command.status == 0 &&
           replay.job.command.signal == 0;
  }
  return replay.job.end != JobResult::End::interrupted;
}

}  // namespace petri::cli

#include "harness/cli/command_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "harness/cli/command_program.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/cli/recorded_run.hpp"
#include "harness/cli/recording_place.hpp"
#include "harness/cli/run_report.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/report/diagnosis.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/record_layout.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using State = CheckResult::State;

constexpr double kLauncherGrace_s = 3;  // for mpirun to end when all ranks are gone
constexpr double kEndOfRun_s = 60;      // to stop a run, clean up and diagnose it

// A ring that lost events is made larger for the next run, up to so much for a rank and for all of them: what is beyond
// is for whoever knows the machine to ask for. The margin is for runs that differ in length.
constexpr std::uint64_t kLargestRing_mib = 256, kLargestRings_mib = 2048;
constexpr double kRingMargin = 1.1;

// What one run tells.
struct Told {
  enum class Kind {
    guarded,     // the failure itself
    free_of_it,  // the program came to its end without a failure, or with one that is allowed
    other,       // another failure
    nothing      // the evidence does not decide
  };
  Kind kind = Kind::nothing;
  std::string text = {};
  std::string detail = {};
  std::string site = {};    // the call that a failure points at
  bool unstarted = false;   // tells nothing because it did not even get to MPI_Init
  std::string before = {};  // of the guarded failure: the signature of another one in front of it
  double ring_needed = 0;   // tells nothing, and the ring lost events: how many times its size would have kept all
};

std::int32_t ranks_for(const Scenario& scenario, const ReproducerCommand& command, const fs::path& file) {
  if (command.ranks) return *command.ranks;
  if (scenario.world() <= kMaxLiveWorld) return scenario.world();
  throw InputError((file.parent_path() / kReproducerFile).string(), 0, 0,
                   fmt::format("says nothing of \"ranks\", and the scenario's {} are too many for one machine: shrink "
                               "it, or say with how many the program runs",
                               scenario.world()));
}

// The signature that must be absent; empty where the scenario expects that nothing is wrong.
std::string guarded_signature(const Scenario& scenario, const fs::path& file) {
  const Header& header = scenario.header;
  const Diagnosis own = diagnose(scenario);
  std::string signature = header.expect ? header.expect->signature : "";
  if (signature.empty() && header.observed) signature = header.observed->signature;
  if (signature.empty()) signature = own.signature;
  if (signature == own.signature && own.verdict != Verdict::ambiguous) return signature;
  // A run is compared by what the model of today says: it could never match a signature that this model does not give.
  throw InputError(file.string(), 0, 0,
                   fmt::format("the scenario itself shows {}, so that nobody can tell by it whether {} is absent",
                               own.signature.empty() ? std::string(name_of(own.verdict)) : own.signature,
                               signature.empty() ? "a failure" : signature));
}

Told other_failure(Verdict verdict, Told told, const ReproducerCommand& command) {
  const bool allowed = std::find(command.allow.begin(), command.allow.end(), verdict) != command.allow.end();
  if (allowed)
    return {Told::Kind::free_of_it, fmt::format("{}, which is allowed", name_of(verdict)), std::move(told.detail)};
  told.kind = Told::Kind::other;
  return told;
}

// All that a person needs to see, without a second run.
std::string story_of(const RecordedRun& run, const Diagnosis& diagnosis) {
  return fmt::format("{}\n{}{}{}", describe_run(run.job), render_text(diagnosis, *run.scenario),
                     run.job.output.empty() ? "" : "The program printed:\n", run.job.output);
}

Told judge_record(const RecordedRun& run, const std::string& guarded, const ReproducerCommand& command) {
  if (!run.scenario) return {Told::Kind::nothing, run.why_not, describe_run(run.job) + "\n" + run.job.output, {}, true};
  const Diagnosis diagnosis = diagnose(*run.scenario);
  std::string story = story_of(run, diagnosis);
  std::string site = site_of_culprit(diagnosis, *run.scenario);
  if (!guarded.empty() && has_failure(diagnosis, guarded)) {
    Told told{Told::Kind::guarded, guarded, std::move(story), std::move(site)};
    if (diagnosis.signature != guarded) told.before = diagnosis.signature;
    return told;
  }
  if (diagnosis.verdict == Verdict::ambiguous)
    return {Told::Kind::nothing, "the record is ambiguous; " + describe_run(run.job), std::move(story)};
  if (diagnosis.verdict != Verdict::completes)
    return other_failure(diagnosis.verdict, {{}, diagnosis.signature, std::move(story), std::move(site)}, command);
  if (run.job.end != JobResult::End::by_itself) return {Told::Kind::nothing, describe_run(run.job), std::move(story)};
  if (ended_badly(run.job)) {
    std::string text =
        fmt::format("the program ended with {}, with its communication in order", describe(run.job.command));
    return other_failure(Verdict::rank_error, {{}, std::move(text), std::move(story)}, command);
  }
  if (diagnosis.certainty == Certainty::not_found)
    return {Told::Kind::free_of_it, fmt::format("completes, and {} other orders show no failure", diagnosis.orders),
            std::move(story)};
  return {Told::Kind::free_of_it, "completes", std::move(story)};
}

// How many times its size the ring should have had: over all ranks, the most events for each one that was kept.
double ring_needed_by(const Scenario& recorded) {
  double most = 0;
  for (const RankTrace& rank : recorded.ranks) {
    const auto kept = static_cast<double>(std::max<std::size_t>(rank.events.size(), 1));
    if (rank.end.dropped > 0) most = std::max(most, 1 + static_cast<double>(rank.end.dropped) / kept);
  }
  return most;
}

// A failure that a ring buffer lost is not known to be absent.
Told judge(const RecordedRun& run, const std::string& guarded, const ReproducerCommand& command) {
  Told told = judge_record(run, guarded, command);
  const bool may_miss_it = told.kind == Told::Kind::free_of_it || told.kind == Told::Kind::nothing;
  const std::string lost = run.scenario && may_miss_it ? text_of_lost_events(*run.scenario) : "";
  if (lost.empty()) return told;
  told.ring_needed = ring_needed_by(*run.scenario);
  if (told.kind == Told::Kind::nothing) return told;
  told.kind = Told::Kind::nothing;
  told.text = lost + ", and the failure may be among them";
  return told;
}

class CommandCheck {
 public:
  CommandCheck(const ReproducerCommand& command, std::string guarded, std::int32_t ranks, std::int32_t scenario_ranks,
               JobOptions job)
      : command_(command),
        guarded_(std::move(guarded)),
        ranks_(ranks),
        scenario_ranks_(scenario_ranks),
        job_(std::move(job)) {}

  CheckResult run() {
    int useless = 0;
    while (conclusive_ < command_.repeat && useless <= command_.retries) {
      Told told = run_once();
      if (told.kind == Told::Kind::guarded) return shown(told);
      if (told.kind == Told::Kind::nothing) {
        ++useless;
        if (useless <= command_.retries) enlarge_ring(told.ring_needed);
        nothing_ = std::move(told);
        continue;
      }
      ++conclusive_;
      if (told.kind == Told::Kind::other && !other_) other_ = told;
      last_ = std::move(told.text);
    }
    return not_shown();
  }

 private:
  Told run_once() {
    const RecordingPlace place({}, job_.command.arguments, fs::current_path());
    job_.recording = place.folder();
    ++runs_;
    return judge(run_recorded(job_), guarded_, command_);
  }

  // The next run would lose the same events again.
  void enlarge_ring(double needed) {
    if (needed <= 1) return;
    const std::uint64_t ring = job_.ring_mib.value_or(record::kDefaultRingMiB);
    const std::uint64_t most =
        std::max(ring, std::min(kLargestRing_mib, kLargestRings_mib / static_cast<std::uint64_t>(ranks_)));
    const double wanted = std::min(needed * kRingMargin * static_cast<double>(ring), static_cast<double>(most));
    job_.ring_mib = std::min(most, std::bit_ceil(static_cast<std::uint64_t>(std::ceil(wanted))));
    enlarged_ = enlarged_ || *job_.ring_mib > ring;
  }

  // What spares the runs that lost events.
  std::string ring_that_was_enough() const {
    if (!enlarged_) return "";
    return fmt::format("; then with {0} MiB for each rank's events: \"ring\":{0} in {1} records so much at once",
                       *job_.ring_mib, kReproducerFile);
  }

  std::string ring_that_was_not_enough() const {
    if (nothing_.ring_needed <= 1) return "";
    return fmt::format("{}: a larger \"ring\" in {} keeps them",
                       enlarged_ ? fmt::format(", also with {} MiB for each rank's events", *job_.ring_mib) : "",
                       kReproducerFile);
  }

  std::string of_mpirun(int runs) const {
    return fmt::format("{} of mpirun -n {}", runs == 1 ? "one run" : fmt::format("{} runs", runs), ranks_);
  }

  std::string in_runs() const { return of_mpirun(runs_); }

  // What the runs that told something do not cover.
  std::string reservations() const {
    std::string text;
    if (const int useless = runs_ - conclusive_; useless > 0)
      text += fmt::format("; {} run{} proved nothing ({}){}", useless, useless == 1 ? "" : "s", nothing_.text,
                          ring_that_was_enough());
    if (ranks_ < scenario_ranks_)
      text += fmt::format("; guards with {} rank{} only, where the scenario has {}", ranks_, ranks_ == 1 ? "" : "s",
                          scenario_ranks_);
    return text;
  }

  CheckResult shown(const Told& told) const {
    const std::string where = fmt::format("in run {} of mpirun -n {}", runs_, ranks_);
    if (!command_.absent) return {State::met, fmt::format("still there, as stated, {}", where)};
    const std::string before = told.before.empty() ? "" : fmt::format(" (behind another one: {})", told.before);
    return missed(fmt::format("the failure is back {}{}: {}", where, before, told.text), told);
  }

  CheckResult missed(std::string text, const Told& told) const {
    CheckResult result{State::missed, std::move(text), told.detail};
    result.expected = guarded_.empty() ? "completes" : "not " + guarded_;
    result.actual = told.text;
    result.site = told.site;
    return result;
  }

  CheckResult not_shown() const {
    if (other_) return missed(fmt::format("failed differently in {}: {}", in_runs(), other_->text), *other_);
    if (conclusive_ < command_.repeat) {
      CheckResult result{State::inconclusive,
                         fmt::format("{} told nothing: {}{}", in_runs(), nothing_.text, ring_that_was_not_enough())};
      result.detail = nothing_.detail;
      result.lacks = nothing_.unstarted;
      return result;
    }
    if (!command_.absent) {
      return {State::missed, fmt::format("\"expect\" says that the failure is present, and {} did not show it: now it "
                                         "can guard against it (\"expect\":\"absent\")",
                                         of_mpirun(conclusive_)) +
                                 reservations()};
    }
    return {State::met, fmt::format("{}; absent from {}{}", last_, of_mpirun(conclusive_), reservations())};
  }

  const ReproducerCommand& command_;
  std::string guarded_;
  std::int32_t ranks_, scenario_ranks_;
  JobOptions job_;
  int runs_ = 0, conclusive_ = 0;
  bool enlarged_ = false;
  std::string last_;
  std::optional<Told> other_;
  Told nothing_;
};

double limit_of_run(const ReproducerCommand& command, const ReproducerOptions& options) {
  return command.timeout_s.value_or(options.timeout_s);
}

// The reproducer's own word counts for more than what this machine's launcher is usually told.
void set_variable(GuardedCommand& command, const std::pair<std::string, std::string>& variable) {
  std::erase_if(command.environment, [&](const auto& other) { return other.first == variable.first; });
  command.environment.push_back(variable);
}

}  // namespace

CheckResult check_command(const Scenario& scenario, const ReproducerCommand& command, const fs::path& file,
                          const ReproducerOptions& options) {
  const std::int32_t ranks = ranks_for(scenario, command, file);
  std::string guarded = guarded_signature(scenario, file);
  const fs::path folder = fs::absolute(file).parent_path();
  std::vector<std::string> words = resolve_command(command, folder, ranks, options.program_path);
  JobOptions job;
  job.command = mpirun_command(ranks, words[0], {words.begin() + 1, words.end()});
  for (const auto& variable : command.environment) set_variable(job.command, variable);
  job.capture_output = true;
  job.limit_s = limit_of_run(command, options);
  job.launcher_grace_s = kLauncherGrace_s;
  // What the program writes where it stands goes with the run.
  job.prepare = [](const fs::path& run, GuardedCommand& guarded_command) {
    guarded_command.working_folder = run / "work";
    guarded_command.prepare = [work = guarded_command.working_folder] { fs::create_directory(work); };
  };
  job.digests = command.digests;
  job.buffers = command.buffers;
  job.ring_mib = command.ring_mib;
  return CommandCheck(command, std::move(guarded), ranks, scenario.world(), std::move(job)).run();
}

double limit_of(const ReproducerCommand& command, const ReproducerOptions& options) {
  return (command.repeat + command.retries + 1) * (limit_of_run(command, options) + kEndOfRun_s);
}

}  // namespace petri::cli

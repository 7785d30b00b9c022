#include "harness/cli/oracles.hpp"

#include <utility>

#include "harness/launch/interrupt.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

using reduce::Answer;
using reduce::Judgement;

Judgement judge_diagnosis(const Scenario& scenario, const Diagnosis& diagnosis, const Failure& failure) {
  switch (likeness(scenario, diagnosis, failure)) {
    case Likeness::same: return {Answer::reproduces, {}};
    case Likeness::other: return {Answer::passes, name_beside(diagnosis, failure)};
    case Likeness::elsewhere:
    case Likeness::none: break;
  }
  return {Answer::passes, {}};
}

Judgement judge_replay(const Scenario& scenario, const ReplayResult& replay, const Outcome& expected) {
  // A hang that no rule explains: whether it is there is all that is known of it.
  const bool unexplained = expected.verdict == Verdict::ambiguous;
  if (shows(replay, expected) && (!unexplained || replay.job.hung())) return {Answer::reproduces, {}};
  if (replay.job.end == JobResult::End::timed_out) return {Answer::unresolved, {}};
  // The schedule of the failure, but this run got through: it does not show it.
  if (replay.diagnosis.signature == expected.signature) return {Answer::passes, {}};
  return judge_diagnosis(scenario, replay.diagnosis, {});
}

}  // namespace

reduce::Oracle model_oracle(Failure failure, DiagnoseOptions options) {
  return reduce::Oracle::Ask(
      [failure = std::move(failure), options](const Scenario& scenario, const std::stop_token& stop) -> Judgement {
        DiagnoseOptions now = options;
        now.first_only = true;
        now.stop = stop;
        const Diagnosis diagnosis = diagnose(scenario, now);
        if (stop.stop_requested()) return {Answer::stopped, {}};
        return judge_diagnosis(scenario, diagnosis, failure);
      });
}

reduce::Oracle live_oracle(Outcome expected, Failure failure, ReplayOptions options) {
  return reduce::Oracle::Ask(
      [expected = std::move(expected), failure = std::move(failure), options = std::move(options)](
          const Scenario& scenario, const std::stop_token& stop) -> Judgement {
        const auto withdrawn = [&] { return stop.stop_requested() || interrupt_count() > 0; };
        try {
          if (!failure.signature.empty()) {
            const Judgement first = judge_diagnosis(scenario, diagnose(scenario, options.diagnose), failure);
            if (first.answer != Answer::reproduces) return first;
          }
          ReplayOptions now = options;
          now.stop = stop;
          const ReplayResult replay = replay_scenario(scenario, now);
          if (replay.job.end == JobResult::End::interrupted) return {Answer::stopped, {}};
          return judge_replay(scenario, replay, expected);
        } catch (const InputError&) {
          return {Answer::unresolved, {}};
        } catch (...) {
          // A replay that was stopped before it had begun.
          if (withdrawn()) return {Answer::stopped, {}};
          throw;
        }
      });
}

}  // namespace petri::cli

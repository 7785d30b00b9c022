#include "harness/cli/oracles.hpp"

#include <utility>

#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

using reduce::Answer;
using reduce::Judgement;

Judgement judge_diagnosis(const Diagnosis& diagnosis, const std::string& signature) {
  if (diagnosis.verdict == Verdict::completes) return {Answer::passes, {}};
  if (diagnosis.verdict == Verdict::ambiguous) return {Answer::unresolved, {}};
  if (diagnosis.signature == signature) return {Answer::reproduces, {}};
  return {Answer::passes, diagnosis.signature};
}

}  // namespace

reduce::Oracle model_oracle(std::string signature, DiagnoseOptions options) {
  return [signature = std::move(signature), options](const Scenario& scenario) {
    return judge_diagnosis(diagnose(scenario, options), signature);
  };
}

reduce::Oracle live_oracle(Outcome expected, ReplayOptions options) {
  return [expected = std::move(expected), options = std::move(options)](const Scenario& scenario) -> Judgement {
    try {
      const ReplayResult replay = replay_scenario(scenario, options);
      if (shows(replay, expected)) return {Answer::reproduces, {}};
      if (replay.job.end == JobResult::End::timed_out) return {Answer::unresolved, {}};
      // The schedule of the failure, but this run got through: it does not show it.
      if (replay.diagnosis.signature == expected.signature) return {Answer::passes, {}};
      return judge_diagnosis(replay.diagnosis, {});
    } catch (const InputError&) {
      return {Answer::unresolved, {}};
    }
  };
}

}  // namespace petri::cli

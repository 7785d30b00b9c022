#include "harness/cli/confirm.hpp"

#include <fmt/format.h>

#include <utility>

namespace petri::cli {

Confirmation confirm_live(const Scenario& scenario, const Outcome& expected, ReplayOptions options) {
  Confirmation result;
  result.replay = replay_scenario(scenario, options);
  result.shown = shows(result.replay, expected);
  const auto was_stopped = [](const ReplayResult& replay) { return replay.job.end == JobResult::End::timed_out; };
  result.undecided = !result.shown && was_stopped(result.replay);
  const bool fails = !expected.absent && expected.verdict != Verdict::completes;
  if (result.shown || !fails || result.replay.job.end == JobResult::End::interrupted) return result;
  options.strict = true;
  ReplayResult strict = replay_scenario(scenario, options);
  if (shows(strict, expected)) return {std::move(strict), true, true, false};
  result.undecided = result.undecided || was_stopped(strict);
  return result;
}

std::string text_of(const Confirmation& confirmation, std::int32_t world) {
  const ReplayResult& replay = confirmation.replay;
  std::string text =
      fmt::format("{} under mpirun -n {} after {:.2f} s", name_of(replay.diagnosis.verdict), world, replay.job.seconds);
  if (confirmation.strict) text += ", in a strict replay";
  if (!confirmation.shown && replay.job.end == JobResult::End::by_itself) text += ", but this run came to its end";
  if (replay.job.end == JobResult::End::timed_out)
    text += ", stopped by the time limit";
  else if (confirmation.undecided)
    text += "; a strict replay was stopped by the time limit";
  return text;
}

}  // namespace petri::cli

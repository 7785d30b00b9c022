#include "harness/cli/shrink_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/cli/live.hpp"
#include "harness/cli/oracles.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/digest.hpp"

namespace petri::cli {
namespace {

// A program that misses one failure in five is found out with five questions in two of three cases; each further
// question costs a run before anything is gained.
constexpr int kAsksOfCommand = 5;
constexpr int kAsksOfLive = 2;
constexpr int kAsksForRate = 20;
constexpr double kMissed = 0.001;  // see repeats_for
constexpr std::size_t kShownLines = 20;

std::string with_limit(const ShrinkArguments& a) {
  return fmt::format("{}, at most {} s", a.oracle, a.timeout_s);
}

// The failure that replays are held against: the model's, or what a replay of the input shows where the model finds
// none (a fault below the calls).
Outcome live_failure(const Scenario& input, const Diagnosis& diagnosis, const ReplayOptions& options) {
  if (is_failure(diagnosis)) return expected_outcome(input, {});
  const ReplayResult shown = replay_scenario(input, options);
  const CommandEnd& end = shown.job.command;
  const bool ended_well = shown.job.end == JobResult::End::by_itself && end.status == 0 && end.signal == 0;
  if (ended_well && !is_failure(shown.diagnosis))
    throw NotReproduced{
        fmt::format("the model's verdict is {}, and a replay came to its end", name_of(diagnosis.verdict))};
  return {shown.diagnosis.verdict, shown.diagnosis.signature, false};
}

std::string last_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const std::size_t from = lines.size() > kShownLines ? lines.size() - kShownLines : 0;
  std::string shown = from > 0 ? fmt::format("  | … ({} before)\n", counted(from, "line")) : "";
  for (std::size_t i = from; i < lines.size(); ++i) shown += "  | " + lines[i] + "\n";
  return shown;
}

// One more run of the user's program, told to its owner.
std::string told(const CommandOracle& command, const ShrinkArguments& a, const Scenario& input) {
  const CommandOracle::Told run = command.tell(input, a.keep);
  std::string text = fmt::format("  {} … scenario.jsonl {}", fmt::join(command.words(), " "), run.how);
  text += run.output.empty() ? " and printed nothing\n" : "; it printed:\n" + last_lines(run.output);
  text += a.keep.empty() ? "  (it ran in a fresh folder with scenario.jsonl in it; --keep FOLDER keeps that folder)\n"
                         : fmt::format("  (its folder is kept as {})\n", a.keep);
  return text;
}

std::string rate_text(const reduce::Answers& answers) {
  std::string text =
      fmt::format("it finds the failure in {} of {} on the input", answers.reproduces, counted(answers.asked(), "run"));
  if (answers.unresolved > 0) text += fmt::format(", and {} gave no answer", answers.unresolved);
  return text;
}

std::string advice(const reduce::Answers& answers) {
  const double rate = (answers.reproduces + 1.0) / (answers.asked() + 2.0);
  return fmt::format(
      "  ask more than once: --k-of-n 1/{} misses a failing candidate less than once in 1,000 where a failure that is\n"
      "  found is always one; where it may be found wrongly, too, K must be more than 1\n",
      repeats_for(rate));
}

std::string no_failure(const reduce::Answers& answers) {
  if (answers.unresolved == answers.asked()) return "no answer could be had for the input";
  std::string text = answers.asked() > 1 ? fmt::format("the input does not fail ({} runs)", answers.asked())
                                         : "the input does not fail";
  if (!answers.other.empty()) text += fmt::format("; it fails differently: {}", answers.other);
  return text;
}

}  // namespace

int repeats_for(double probability) {
  if (probability >= 1) return 1;
  return static_cast<int>(std::ceil(std::log(kMissed) / std::log(1 - std::max(probability, 1e-3))));
}

ShrinkOracle oracle_for(const ShrinkArguments& a, const Scenario& input, const Diagnosis& diagnosis) {
  const std::string self = digest_of_file("/proc/self/exe");
  const auto complete = [&](ShrinkOracle oracle) {
    if (!a.k_of_n) return oracle;
    oracle.ask = reduce::k_of_n(oracle.once, a.k_of_n->k, a.k_of_n->n);
    oracle.name += fmt::format(", {}/{}", a.k_of_n->k, a.k_of_n->n);
    return oracle;
  };
  if (a.asks_model()) {
    const reduce::Oracle model = model_oracle(failure_of(input, diagnosis), {});
    return complete({model, model, a.oracle, self});
  }
  if (a.asks_live()) {
    ReplayOptions options;
    options.limit_s = a.timeout_s;
    const Outcome expected = live_failure(input, diagnosis, options);
    const Failure failure =
        expected.signature == diagnosis.signature ? failure_of(input, diagnosis) : Failure{expected.signature};
    const reduce::Oracle live = live_oracle(expected, failure, options);
    const std::string programs =
        self + " " + digest_of_file(worker_program()) + " " + digest_of_file(recorder_library());
    return complete({live, live, with_limit(a), programs, kAsksOfLive});
  }
  const CommandOracle command(a.oracle, a.timeout_s);
  const reduce::Oracle ask = reduce::Oracle::Ask(
      [command](const Scenario& scenario, const std::stop_token& stop) { return command.ask(scenario, stop); });
  return complete({ask, ask, with_limit(a), self + command.digest(), kAsksOfCommand, command});
}

std::string why_not_shrunk(const ShrinkOracle& oracle, const ShrinkArguments& a, const Scenario& input) {
  const auto interrupted = [] { return interrupt_count() > 0; };
  const bool repeats = a.k_of_n.has_value();
  reduce::Answers answers = reduce::ask_again(oracle.ask, input, repeats ? 1 : oracle.asks_of_input);
  if (interrupted() || (answers.asked() > 0 && answers.reproduces == answers.asked())) return "";
  if (answers.differ() || repeats) answers = reduce::ask_again(oracle.once, input, kAsksForRate);
  if (interrupted()) return "";
  const bool sometimes = answers.reproduces > 0;
  std::string text =
      sometimes ? "the oracle answers differently when it is asked again: " + rate_text(answers) : no_failure(answers);
  text += "\n";
  if (sometimes) text += advice(answers);
  if (!sometimes && oracle.command) text += told(*oracle.command, a, input);
  return text;
}

}  // namespace petri::cli

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/confirm.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/live.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/shrink_files.hpp"
#include "harness/cli/shrink_options.hpp"
#include "harness/cli/shrink_oracle.hpp"
#include "harness/cli/shrink_report.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/diagnose/failure_events.hpp"
#include "harness/diagnose/same_failure.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/write.hpp"
#include "reducers/engine.hpp"
#include "reducers/journal.hpp"
#include "reducers/subset.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLiveLimit_s = 60;
constexpr int kAsksOfResult = 3;
constexpr std::string_view kTooLittle = "the oracle may ask for too little";

LiveConfirmation confirm(const Scenario& scenario, const ShrinkArguments& o) {
  LiveConfirmation live;
  const auto interrupted = [&] {
    if (interrupt_count() > 0) live = {.text = "interrupted"};
    return interrupt_count() > 0;
  };
  if (o.no_live) return {.text = "--no-live"};
  if (interrupted()) return live;
  live.text = why_not_live(scenario);
  if (!live.text.empty()) return live;
  ReplayOptions options;
  options.limit_s = kLiveLimit_s;
  try {
    const Confirmation shown = confirm_live(scenario, expected_outcome(scenario, options.diagnose), options);
    if (!shown.shown && interrupted()) return live;
    live.state = shown.shown       ? LiveConfirmation::State::confirmed
                 : shown.undecided ? LiveConfirmation::State::undecided
                                   : LiveConfirmation::State::differs;
    live.seconds = shown.replay.job.seconds;
    live.text = text_of(shown, scenario.world());
  } catch (const std::exception& error) {  // no mpirun, no worker, a call that cannot be replayed
    if (!interrupted()) live.text = error.what();
  }
  return live;
}

// Verdicts on disk, where there is a place for them, and what the user is told about them.
class Notebook {
 public:
  Notebook(const ShrinkArguments& a, const reduce::JournalIdentity& identity)
      : place_(a.journal_place()), stays_(!a.journal.empty()) {
    if (place_.empty()) return;
    using Existing = reduce::Journal::Existing;
    journal_.emplace(reduce::Journal::open(place_, identity, stays_ ? Existing::resume : Existing::own_place, known_));
    if (!known_.empty())
      say(stderr, "going on with {} in {} (remove it to begin anew)\n", counted(known_.size(), "verdict"),
          place_.string());
  }

  reduce::Journal* journal() { return journal_ ? &*journal_ : nullptr; }
  reduce::Verdicts& known() { return known_; }

  void note(const std::string& key, const reduce::Judgement& judgement) {
    if (journal_) journal_->append(key, judgement);
  }

  // The oracle asked again and again about one scenario: its first, second … answer is each a verdict of its own.
  reduce::Oracle repeated(const reduce::Oracle& oracle, const Scenario& scenario) {
    return reduce::Oracle::Ask([this, oracle, name = reduce::fingerprint(scenario), asked = std::make_shared<int>(0)](
                                   const Scenario& same, const std::stop_token& stop) {
      const std::string key = fmt::format("{}#{}", name, ++*asked);
      if (const auto found = known_.find(key); found != known_.end()) return found->second;
      const reduce::Judgement judgement = oracle(same, stop);
      if (judgement.answer != reduce::Answer::stopped) note(key, judgement);
      return judgement;
    });
  }

  // Tells at once, and once, that the file cannot take any more.
  void look() {
    if (told_ || !journal_ || journal_->failure().empty()) return;
    told_ = true;
    say(stderr, "petri shrink: {}: {}: no more verdicts are kept; {}\n", place_.string(), journal_->failure(),
        journal_->begun() ? "a run that goes on with it asks again from here" : "a run after this one begins anew");
  }

  // Where a later run finds something to go on with; empty where it does not.
  fs::path place() const { return journal_ && journal_->begun() ? place_ : fs::path(); }

  // The end was reached: nothing is left to go on with.
  void close() {
    if (journal_ && !stays_) journal_->remove();
  }

 private:
  fs::path place_;
  bool stays_;
  bool told_ = false;
  reduce::Verdicts known_;
  std::optional<reduce::Journal> journal_;
};

int not_reproduced(const Input& input, const Diagnosis& diagnosis, const std::string& reason) {
  say(stderr, "petri shrink: {}: nothing to shrink: {}{}", printable_line(input.name()), reason,
      reason.ends_with('\n') ? "" : "\n");
  for (const std::string& note : diagnosis.notes) say(stderr, "  {}\n", printable_line(note));
  return kNotReproduced;
}

// The whole of one run; the input is known to be readable and, for the model, to fail.
class Shrinking {
 public:
  Shrinking(const ShrinkArguments& arguments, const Input& source, const Scenario& input, const Diagnosis& diagnosis)
      : a_(arguments),
        source_(source),
        input_(input),
        diagnosis_(diagnosis),
        oracle_(oracle_for(a_, input, diagnosis)),
        digest_(source.digest(input)),
        notebook_(a_, {digest_, oracle_.name, oracle_.programs, a_.seed}) {
    remove_torn_output(a_.output);
    if (!a_.also_found.empty()) remove_torn_also_found(a_.also_found);
  }

  int run() {
    if (const std::string reason = check_input(); !reason.empty()) return give_up(reason);
    reduce::ShrinkResult result = shrink();
    if (interrupt_count() > 0 && !result.reproduced) {
      say(stderr, "petri shrink: interrupted before there was an answer for the input\n");
      return 128 + interrupt_signal();
    }
    if (!result.reproduced) return give_up(result.reason);
    report(result);
    return interrupt_count() == 0 ? kOk : 128 + interrupt_signal();
  }

 private:
  // The engine asks once; an oracle that may answer differently is asked more often, unless a former run did so.
  std::string check_input() {
    const std::string name = reduce::fingerprint(input_);
    if (oracle_.asks_of_input == 1 || notebook_.known().contains(name)) return "";
    ShrinkOracle noted = oracle_;
    noted.ask = noted.once = notebook_.repeated(oracle_.once, input_);
    if (a_.k_of_n) noted.ask = reduce::k_of_n(noted.once, a_.k_of_n->k, a_.k_of_n->n);
    std::string reason = why_not_shrunk(noted, a_, input_);
    if (!reason.empty() || interrupt_count() > 0) return reason;
    const reduce::Judgement failed{reduce::Answer::reproduces, {}};
    notebook_.note(name, failed);
    notebook_.known().emplace(name, failed);
    return "";
  }

  int give_up(const std::string& reason) {
    notebook_.close();
    return not_reproduced(source_, {}, reason);
  }

  reduce::ShrinkResult shrink() {
    reduce::ShrinkOptions options;
    options.jobs = a_.jobs;
    options.seed = a_.seed;
    options.limits = {a_.max_tests, a_.max_time_s, [] { return interrupt_count() > 0; }};
    options.input_fails = a_.asks_model() && !a_.k_of_n;  // as the diagnosis says
    options.failure = failure_events(input_, diagnosis_);
    options.source = source_.name();
    options.digest = digest_;
    options.journal = notebook_.journal();
    options.known = notebook_.known();
    ProgressLine line;
    options.progress = [&](const reduce::Progress& progress) {
      notebook_.look();
      if (!a_.json) line.show(progress);
    };
    reduce::ShrinkResult result = reduce::shrink(input_, oracle_.ask, options);
    line.finish();
    return result;
  }

  void report(reduce::ShrinkResult& result) {
    const std::string foreign = reduce::not_from_original(input_, result.scenario);
    if (!foreign.empty()) throw std::logic_error("the result is no part of the original: " + foreign);
    ShrinkReport report;
    report.input = source_.name();
    report.output = a_.output;
    report.k_of_n = a_.k_of_n;
    report.outcome = outcome_of(result.scenario);
    report.before = reduce::size_of(input_);
    report.culprits = original_culprits();
    if (!oracle_.command) report.other_failures = other_failures();
    report.warning = warning_about(result);
    report.after = reduce::size_of(result.scenario);
    Header& header = result.scenario.header;
    drop_observed(result.scenario, report.outcome);
    header.expect = report.outcome.verdict ? std::optional(report.outcome) : std::nullopt;
    write_scenario(result.scenario, fs::path(a_.output));
    if (!a_.also_found.empty()) report.also_found_files = file_also_found(a_.also_found, result.also_found);
    if (interrupt_count() == 0 && oracle_.command)
      report.asked_again =
          reduce::ask_again(notebook_.repeated(oracle_.ask, result.scenario), result.scenario, kAsksOfResult);
    report.live = confirm(result.scenario, a_);
    const bool ended = result.stopped_by.empty() && interrupt_count() == 0;
    report.ended = ended;
    report.journal = notebook_.place().string();
    std::FILE* const told = is_stdout(a_.output) ? stderr : stdout;
    a_.json ? print_json(report, result, told) : print_text(report, result, told);
    if (ended) notebook_.close();
  }

  std::vector<std::int32_t> original_culprits() const {
    if (!is_failure(diagnosis_) || diagnosis_.findings.empty()) return {};
    std::vector<std::int32_t> culprits = diagnosis_.findings.front().culprits;
    if (const auto& origin = input_.header.origin; origin && !origin->ranks.empty())
      for (std::int32_t& rank : culprits) rank = origin->ranks.at(static_cast<std::size_t>(rank));
    std::sort(culprits.begin(), culprits.end());
    return culprits;
  }

  // What else the model finds wrong with the input: what comes out holds the first failure only.
  std::vector<std::string> other_failures() const {
    std::vector<std::string> others;
    for (const Finding& finding : diagnosis_.findings)
      if (finding.signature != diagnosis_.signature &&
          std::find(others.begin(), others.end(), finding.signature) == others.end())
        others.push_back(finding.signature);
    return others;
  }

  // A predicate of the user's own may mean less than its author thinks.
  std::string warning_about(const reduce::ShrinkResult& result) const {
    if (!oracle_.command) return "";
    if (result.scenario.event_count() == 0)
      return "nothing is left of the input: the oracle accepts a scenario without any call, and maybe everything";
    const Diagnosis left = diagnose(result.scenario);
    const Failure failure = is_failure(diagnosis_) ? failure_of(diagnosis_) : Failure{};
    switch (likeness(result.scenario, left, failure)) {
      case Likeness::same:
      case Likeness::elsewhere: return "";
      case Likeness::other:
        return fmt::format("by the model the result is another failure than the input: {} instead of {}: {}",
                           name_beside(left, failure),
                           is_failure(diagnosis_) ? diagnosis_.signature : std::string(name_of(diagnosis_.verdict)),
                           kTooLittle);
      case Likeness::none: break;
    }
    if (!is_failure(diagnosis_)) return "";
    return fmt::format("the input is a {} by the model, and nothing is wrong with what the oracle accepted last: {}",
                       name_of(diagnosis_.verdict), kTooLittle);
  }

  const ShrinkArguments& a_;
  const Input& source_;
  const Scenario& input_;
  const Diagnosis& diagnosis_;
  ShrinkOracle oracle_;
  std::string digest_;
  Notebook notebook_;
};

}  // namespace

int run_shrink(const std::vector<std::string>& args) {
  end_at_interrupt();
  const std::optional<ShrinkArguments> arguments = parse_shrink(args);
  if (!arguments) return kOk;
  const Input source(arguments->sources);
  const Scenario input = source.load_with_payload();
  const Diagnosis diagnosis = diagnose(input);
  if (arguments->asks_model() && !is_failure(diagnosis))
    return not_reproduced(source, diagnosis, fmt::format("the model's verdict is {}", name_of(diagnosis.verdict)));
  const InterruptScope interrupts;
  try {
    return Shrinking(*arguments, source, input, diagnosis).run();
  } catch (const NotReproduced& error) {
    return not_reproduced(source, diagnosis, error.reason);
  }
}

}  // namespace petri::cli

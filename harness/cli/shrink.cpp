#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "harness/cli/confirm.hpp"
#include "harness/cli/live.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/oracles.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/shrink_report.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/trace/write.hpp"
#include "reducers/engine.hpp"
#include "reducers/journal.hpp"
#include "reducers/subset.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kLiveLimit_s = 60;

constexpr Help kHelp{"petri shrink [options] SCENARIO",
                     "Shrinks a failing scenario to the fewest ranks and events that still fail in the same way.",
                     "petri shrink -o small.jsonl hang.jsonl    writes the reproducer and replays it once"};

struct Options {
  std::string input, output, oracle, k_of_n, journal, also_found;
  int jobs = 1;
  std::uint64_t seed = 0, max_tests = 0;
  double max_time_s = 0, timeout_s = 0;
  bool resume = false, no_live = false, json = false;
};

std::optional<Options> parse_options(const std::vector<std::string>& args) {
  Options o;
  po::options_description options;
  auto add = options.add_options();
  add("output,o", po::value(&o.output)->value_name("FILE"), "where the reproducer goes (default: NAME.min.jsonl here)");
  add("jobs,j", po::value(&o.jobs)->value_name("N")->default_value(1),
      "judge on N threads; the result is the same for any N");
  add("seed", po::value(&o.seed)->value_name("S")->default_value(0), "try in another order");
  add("max-tests", po::value(&o.max_tests)->value_name("N")->default_value(0), "stop after N candidates; 0: never");
  add("max-time", po::value(&o.max_time_s)->value_name("S")->default_value(0),
      "stop after S seconds; 0: never. Where it stops depends on the machine");
  add("journal", po::value(&o.journal)->value_name("FILE"), "write each verdict to FILE");
  add("resume", po::bool_switch(&o.resume), "go on with the verdicts in the journal");
  add("no-live", po::bool_switch(&o.no_live), "do not replay the result");
  add("oracle", po::value(&o.oracle)->value_name("model|live|CMD")->default_value("model"),
      "who judges: the model, live replays, or a program that is started in a fresh folder with scenario.jsonl in it "
      "(also its last argument) and exits with 0 when the failure is there");
  add("timeout", po::value(&o.timeout_s)->value_name("S")->default_value(300),
      "limit for one run of such a program or replay");
  add("k-of-n", po::value(&o.k_of_n)->value_name("K/N"), "ask up to N times; K failures count");
  add("also-found", po::value(&o.also_found)->value_name("FOLDER"), "keep different failures that are met");
  add("json", po::bool_switch(&o.json), "print one JSON object");
  po::positional_options_description positional;
  positional.add("scenario", 1);
  options.add_options()("scenario", po::value(&o.input)->required(), "scenario file, or folder of recorded ranks");
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return std::nullopt;
  if (o.jobs < 1) throw UsageError{"--jobs needs a number of threads"};
  if (o.resume && o.journal.empty()) throw UsageError{"--resume needs the --journal to go on with"};
  if (!o.journal.empty() && !o.resume && fs::exists(o.journal)) {
    throw UsageError{fmt::format("{} exists: go on with it by --resume, or remove it", o.journal)};
  }
  return o;
}

reduce::Oracle with_repeats(reduce::Oracle oracle, const std::string& k_of_n) {
  if (k_of_n.empty()) return oracle;
  int k = 0;
  int n = 0;
  char slash = 0;
  std::istringstream in(k_of_n);
  if (!(in >> k >> slash >> n) || slash != '/' || in.peek() != EOF || k < 1 || n < k || n > 10000) {
    throw UsageError{fmt::format("--k-of-n needs K/N with 1 <= K <= N, not '{}'", k_of_n)};
  }
  return reduce::k_of_n(std::move(oracle), k, n);
}

reduce::Oracle oracle_for(const Options& o, const Scenario& input, const Diagnosis& diagnosis) {
  if (o.oracle == "model") return with_repeats(model_oracle(diagnosis.signature, {}), o.k_of_n);
  if (o.oracle != "live") return with_repeats(command_oracle(o.oracle, o.timeout_s), o.k_of_n);
  ReplayOptions replay;
  replay.limit_s = o.timeout_s;
  return with_repeats(live_oracle(expected_outcome(input, {}), replay), o.k_of_n);
}

// Root cause and blocked calls: where the causal slice begins.
std::vector<EventRef> failure_events(const Diagnosis& diagnosis) {
  std::vector<EventRef> events;
  if (!diagnosis.findings.empty()) events = diagnosis.findings[0].events;
  for (std::size_t rank = 0; rank < diagnosis.blocked.size(); ++rank) {
    if (diagnosis.blocked[rank]) events.push_back({static_cast<std::int32_t>(rank), *diagnosis.blocked[rank]});
  }
  return events;
}

fs::path output_for(const Options& o) {
  fs::path output = o.output;
  if (output.empty()) {
    fs::path name = fs::path(o.input).filename();
    if (name.empty()) name = fs::absolute(o.input).parent_path().filename();
    if (name.extension() == ".zst") name = name.stem();
    if (name.extension() == ".jsonl") name = name.stem();
    output = name.string() + ".min.jsonl";
  }
  require_other_than_input(output, o.input);
  require_writable(output);
  return output;
}

LiveConfirmation confirm(const Scenario& scenario, const Options& o) {
  LiveConfirmation live;
  live.text = o.no_live ? "not wanted" : why_not_live(scenario);
  if (!live.text.empty()) return live;
  ReplayOptions options;
  options.limit_s = kLiveLimit_s;
  try {
    const Confirmation shown = confirm_live(scenario, expected_outcome(scenario, options.diagnose), options);
    live.state = shown.shown ? LiveConfirmation::State::confirmed : LiveConfirmation::State::differs;
    live.seconds = shown.replay.job.seconds;
    live.text = text_of(shown, scenario.world());
  } catch (const std::exception& error) {  // no mpirun, no worker, a call that cannot be replayed
    live.text = error.what();
  }
  return live;
}

std::vector<std::string> file_also_found(const std::string& folder, const std::vector<reduce::AlsoFound>& found) {
  std::vector<std::string> files;
  if (folder.empty()) return files;
  fs::create_directories(folder);
  for (std::size_t i = 0; i < found.size(); ++i) {
    Scenario scenario = found[i].scenario;
    const Diagnosis diagnosis = diagnose(scenario);
    scenario.header.observed.reset();
    scenario.header.expect = Outcome{diagnosis.verdict, diagnosis.signature, false};
    files.push_back((fs::path(folder) / fmt::format("also-{}.jsonl", i + 1)).string());
    write_scenario(scenario, files.back());
  }
  return files;
}

// What the reproducer is expected to do; empty where only a user's command knows.
Outcome outcome_of(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  if (diagnosis.signature.empty()) return {};
  return {diagnosis.verdict, diagnosis.signature, false};
}

reduce::ShrinkResult shrink_input(const Options& o, const Scenario& input, const Diagnosis& diagnosis) {
  reduce::ShrinkOptions options;
  options.jobs = o.jobs;
  options.seed = o.seed;
  options.limits = {o.max_tests, o.max_time_s, [] { return interrupt_count() > 0; }};
  options.failure = failure_events(diagnosis);
  options.source = o.input;
  options.digest = digest_of_input(o.input, input);
  const reduce::JournalIdentity identity{options.digest, o.oracle + (o.k_of_n.empty() ? "" : " " + o.k_of_n), o.seed};
  std::optional<reduce::Journal> journal;
  if (!o.journal.empty()) {
    journal = o.resume ? reduce::Journal::resume(o.journal, identity, options.known)
                       : reduce::Journal::begin(o.journal, identity);
    options.journal = &*journal;
  }
  ProgressLine line;
  if (!o.json) options.progress = [&](const reduce::Progress& progress) { line.show(progress); };
  reduce::ShrinkResult result = reduce::shrink(input, oracle_for(o, input, diagnosis), options);
  line.finish();
  return result;
}

int not_reproduced(const Options& o, const Diagnosis& diagnosis, const std::string& reason) {
  say(stderr, "petri shrink: {}: nothing to shrink: {}\n", o.input, reason);
  for (const std::string& note : diagnosis.notes) say(stderr, "  {}\n", note);
  return kNotReproduced;
}

}  // namespace

int run_shrink(const std::vector<std::string>& args) {
  const std::optional<Options> parsed = parse_options(args);
  if (!parsed) return kOk;
  const Options& o = *parsed;
  const Scenario input = load_input(o.input);
  const fs::path output = output_for(o);
  const Diagnosis diagnosis = diagnose(input);
  const bool fails = diagnosis.verdict != Verdict::completes && diagnosis.verdict != Verdict::ambiguous;
  if (o.oracle == "model" && !fails) {
    return not_reproduced(o, diagnosis, fmt::format("the model's verdict is {}", name_of(diagnosis.verdict)));
  }

  const InterruptScope interrupts;
  reduce::ShrinkResult result = shrink_input(o, input, diagnosis);
  if (!result.reproduced) return not_reproduced(o, {}, result.reason);
  const std::string foreign = reduce::not_from_original(input, result.scenario);
  if (!foreign.empty()) throw std::logic_error("the result is no part of the original: " + foreign);

  ShrinkReport report;
  report.input = o.input;
  report.output = output.string();
  report.outcome = outcome_of(result.scenario);
  report.before = reduce::size_of(input);
  report.after = reduce::size_of(result.scenario);
  Header& header = result.scenario.header;
  header.observed.reset();  // of the original
  header.expect.reset();
  if (report.outcome.verdict) header.expect = report.outcome;
  write_scenario(result.scenario, output);
  report.also_found_files = file_also_found(o.also_found, result.also_found);
  if (interrupt_count() == 0) report.live = confirm(result.scenario, o);
  o.json ? print_json(report, result) : print_text(report, result);
  return interrupt_count() == 0 ? kOk : 128 + interrupt_signal();
}

}  // namespace petri::cli

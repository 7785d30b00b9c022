#include "harness/cli/check.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "harness/cli/check_formats.hpp"
#include "harness/cli/check_report.hpp"
#include "harness/cli/check_run.hpp"
#include "harness/cli/check_select.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/shard.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"

namespace petri::cli {
namespace {

using State = CheckResult::State;

constexpr Help kHelp{"petri check [options] PATH...",
                     "Checks that every reproducer at or below each PATH still does what it expects, in the model and "
                     "in a live replay,\n"
                     "and that the programs of those that hold a command are still free of their failure.",
                     "petri check --junit results.xml scenarios/    as a step of continuous integration"};

std::optional<CheckOptions> parse_options(const std::vector<std::string>& args) {
  CheckOptions o;
  std::vector<std::string> programs;
  bool changed = false;
  std::string since;
  po::options_description options;
  auto add = options.add_options();
  add("model-only", po::bool_switch(&o.model_only), "no live replays");
  add("live-only", po::bool_switch(&o.live_only), "no judgement by the model");
  add("run-commands", po::bool_switch(&o.reproducer.run_commands),
      "run the commands of reproducers, too (the user's own programs), and fail where the failure comes back");
  add("commands-only", po::bool_switch(&o.commands_only), "with --run-commands: nothing else");
  add("program-path", po::value(&programs)->value_name("FOLDER")->composing(),
      "where the commands' programs are, before PATH; may be given several times");
  add("junit", po::value(&o.junit)->value_name("FILE"), "write the results as JUnit XML: --report junit:FILE");
  add("report", po::value(&o.reports)->value_name("FORMAT[:FILE]"),
      ("write a report for a build server, as often as wanted: " + report_formats() + "; FILE - is stdout").c_str());
  add("shard", po::value(&o.shard)->value_name("I/N"),
      "only the I-th of N equal parts of the reproducers: for N machines that share them");
  add("changed", po::bool_switch(&changed),
      "only reproducers that changed, by git, since the work left the default branch or, on that, since the commit "
      "before: committed or not; with --run-commands also the commands of all others");
  add("changed-since", po::value(&since)->value_name("REF"), "the same since the work left REF, e.g. origin/main");
  add("timeout", seconds("timeout", &o.reproducer.timeout_s)->default_value("60"),
      "limit for each check, and for each run of a command");
  add("jobs,j", number("jobs", &o.jobs, 1, kMostJobs)->default_value("1"), "checks at a time");
  add("allow-no-expect", po::bool_switch(&o.reproducer.allow_no_expect),
      "pass over scenarios without an expectation: they are no reproducers, and where there are no others, nothing is "
      "wrong");
  add("json", po::bool_switch(&o.json), "print one JSON object");
  add("add", po::value<std::string>()->value_name("FILE..."),
      "file a new reproducer instead: petri check --add FILE --help");
  add("path", po::value(&o.paths)->required(), "reproducer, or folder with reproducers below it");
  po::positional_options_description positional;
  positional.add("path", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return std::nullopt;
  if (changed || values.count("changed-since") != 0) o.changed = since;
  if (values.count("changed-since") != 0 && since.empty()) throw UsageError{"--changed-since needs a revision"};
  if (values.count("shard") != 0) parse_shard(o.shard);  // an empty one is none
  if (o.model_only + o.live_only + o.commands_only > 1)
    throw UsageError{"--model-only, --live-only and --commands-only leave nothing to check"};
  if (o.commands_only && !o.reproducer.run_commands) throw UsageError{"--commands-only needs --run-commands"};
  o.reproducer.program_path.assign(programs.begin(), programs.end());
  return o;
}

bool files_a_reproducer(const std::vector<std::string>& args) {
  const auto own_end = std::find(args.begin(), args.end(), "--");
  return std::any_of(args.begin(), own_end,
                     [](const std::string& a) { return a == "--add" || a.starts_with("--add="); });
}

bool all_lack_something(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) {
    return check.result.state != State::inconclusive || check.result.lacks;
  });
}

// Passing over what is no reproducer leaves nothing to do: as where nothing was selected, nothing is wrong. What cannot
// be tried here, though, is not known to be right.
bool all_passed_over(const std::vector<Check>& checks) {
  return std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.result.passed_over; });
}

// What a build server acts on: the worst that happened.
int status_of(const std::vector<Check>& checks) {
  if (interrupt_count() > 0) return 128 + interrupt_signal();
  if (count(checks, State::missed) > 0) return kExpectationMissed;
  if (count(checks, State::unreadable) > 0) return kBadInput;
  if (count(checks, State::inconclusive) > 0) return all_lack_something(checks) ? kEnvironmentMissing : kAmbiguous;
  return count(checks, State::met) > 0 || all_passed_over(checks) ? kOk : kEnvironmentMissing;
}

}  // namespace

std::size_t count(const std::vector<Check>& checks, State state) {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.result.state == state; }));
}

int run_check(const std::vector<std::string>& args) {
  end_at_interrupt();
  if (files_a_reproducer(args)) return run_check_add(args);
  const std::optional<CheckOptions> options = parse_options(args);
  if (!options) return kOk;
  const std::vector<ReportTarget> reports = report_targets(*options);
  require_writable(reports);
  Selection selection = select_checks(*options);
  require_other_than(reports, selection.inputs);
  std::vector<Check>& checks = selection.checks;
  if (const std::string text = text_of(selection); !text.empty()) say(stderr, "petri: {}\n", text);
  std::FILE* const told = takes_stdout(reports) ? stderr : stdout;
  const InterruptScope interrupts;
  run_checks(checks, *options, [&](const Check& check) {
    if (!options->json) print_check(check, told);
  });
  write_reports(checks, *options, selection.narrowed_by, reports);
  if (options->json) {
    print_json(checks);
  } else {
    print_summary(checks, told);
  }
  return selection.empty_on_purpose() ? kOk : status_of(checks);
}

}  // namespace petri::cli

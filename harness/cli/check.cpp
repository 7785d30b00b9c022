#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "harness/cli/isolated.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/reproducer.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/text.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using State = CheckResult::State;

constexpr Help kHelp{
    "petri check [options] PATH...",
    "Checks that every reproducer at or below each PATH still does what it expects, in the model and in a live replay.",
    "petri check --junit results.xml scenarios/    as a step of continuous integration"};

struct Options {
  std::vector<std::string> paths;
  std::string junit;
  double timeout_s = 0;
  int jobs = 1;
  bool model_only = false, live_only = false, allow_no_expect = false, json = false;
};

std::optional<Options> parse_options(const std::vector<std::string>& args) {
  Options o;
  po::options_description options;
  auto add = options.add_options();
  add("model-only", po::bool_switch(&o.model_only), "no live replays");
  add("live-only", po::bool_switch(&o.live_only), "live replays only");
  add("junit", po::value(&o.junit)->value_name("FILE"), "write the results as JUnit XML");
  add("timeout", po::value(&o.timeout_s)->value_name("S")->default_value(60),
      "limit for each check; one that takes longer is a failed one");
  add("jobs,j", po::value(&o.jobs)->value_name("N")->default_value(1), "checks at a time");
  add("allow-no-expect", po::bool_switch(&o.allow_no_expect), "pass over scenarios without an expectation");
  add("json", po::bool_switch(&o.json), "print one JSON object");
  add("path", po::value(&o.paths)->required(), "reproducer, or folder with reproducers below it");
  po::positional_options_description positional;
  positional.add("path", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return std::nullopt;
  if (o.model_only && o.live_only) throw UsageError{"--model-only and --live-only leave nothing to check"};
  if (o.jobs < 1) throw UsageError{"--jobs needs a number of checks"};
  if (!(o.timeout_s > 0)) throw UsageError{"--timeout needs a number of seconds"};
  return o;
}

struct Check {
  fs::path file;
  CheckMode mode;
  CheckResult result;
  double seconds = 0;
};

std::vector<Check> list_checks(const Options& o) {
  std::vector<Check> checks;
  std::set<fs::path> seen;
  for (const std::string& path : o.paths) {
    for (const fs::path& file : find_scenarios(path)) {
      if (!seen.insert(fs::weakly_canonical(file)).second) continue;
      if (!o.live_only) checks.push_back({file, CheckMode::model, {}});
      if (!o.model_only) checks.push_back({file, CheckMode::live, {}});
    }
  }
  return checks;
}

CheckResult result_of(const TaskEnd& end, double limit_s) {
  switch (end.kind) {
    case TaskEnd::Kind::timed_out: return {State::missed, fmt::format("no result within {} s: stopped", limit_s), {}};
    case TaskEnd::Kind::crashed: return {State::missed, "the check crashed: " + end.text, {}};
    case TaskEnd::Kind::interrupted: return {State::skipped, "interrupted", {}};
    case TaskEnd::Kind::done: break;
  }
  return check_result_from(end.text);
}

void print_line(const Check& check) {
  const char* mark = check.result.state == State::met ? "ok" : check.result.state == State::skipped ? "skip" : "FAIL";
  const std::string text =
      check.result.state == State::skipped ? fmt::format("skipped ({})", check.result.text) : check.result.text;
  say(stdout, "{:<4}  {}  {}: {}\n", mark, check.file.string(), name_of(check.mode), printable_line(text));
  std::fflush(stdout);
}

void run_checks(std::vector<Check>& checks, const Options& o) {
  std::vector<std::function<std::string()>> tasks;
  for (const Check& check : checks) {
    tasks.push_back([&check, &o] { return to_text(check_reproducer(check.file, check.mode, o.allow_no_expect)); });
  }
  run_isolated(tasks, o.jobs, o.timeout_s, [&](std::size_t i, const TaskEnd& end) {
    checks[i].result = result_of(end, o.timeout_s);
    checks[i].seconds = end.seconds;
    if (!o.json) print_line(checks[i]);
  });
}

std::size_t count(const std::vector<Check>& checks, State state) {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const Check& check) { return check.result.state == state; }));
}

void print_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json json;
  for (const State state : {State::met, State::missed, State::unreadable, State::skipped}) {
    json[std::string(name_of(state))] = count(checks, state);
  }
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    nlohmann::ordered_json one{{"file", check.file.string()},
                               {"mode", name_of(check.mode)},
                               {"state", name_of(check.result.state)},
                               {"text", check.result.text},
                               {"seconds", check.seconds}};
    if (!check.result.detail.empty()) one["detail"] = check.result.detail;
    json["checks"].push_back(std::move(one));
  }
  fmt::print("{}\n", printable_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
}

void write_report(const std::vector<Check>& checks, const std::string& file) {
  JunitSuite suite;
  suite.name = "petri check";
  for (const Check& check : checks) {
    JunitCase made;
    made.name = fmt::format("{} ({})", check.file.string(), name_of(check.mode));
    made.classname = check.file.parent_path().string();
    made.seconds = check.seconds;
    switch (check.result.state) {
      case State::met: made.result = JunitCase::Result::passed; break;
      case State::missed: made.result = JunitCase::Result::failed; break;
      case State::unreadable: made.result = JunitCase::Result::error; break;
      case State::skipped: made.result = JunitCase::Result::skipped; break;
    }
    if (check.result.state != State::met) made.message = check.result.text;
    made.detail = check.result.detail;
    suite.cases.push_back(std::move(made));
  }
  write_junit({suite}, file);
}

}  // namespace

int run_check(const std::vector<std::string>& args) {
  const std::optional<Options> parsed = parse_options(args);
  if (!parsed) return kOk;
  std::vector<Check> checks = list_checks(*parsed);
  if (!parsed->junit.empty()) require_writable(parsed->junit);
  const InterruptScope interrupts;
  run_checks(checks, *parsed);
  if (!parsed->junit.empty()) write_report(checks, parsed->junit);
  if (parsed->json) {
    print_json(checks);
  } else {
    say(stdout, "{} checks: {} met, {} missed, {} unreadable, {} skipped\n", checks.size(), count(checks, State::met),
        count(checks, State::missed), count(checks, State::unreadable), count(checks, State::skipped));
  }
  if (interrupt_count() > 0) return 128 + interrupt_signal();
  if (count(checks, State::missed) > 0) return kExpectationMissed;
  if (count(checks, State::unreadable) > 0) return kBadInput;
  return count(checks, State::met) > 0 ? kOk : kEnvironmentMissing;
}

}  // namespace petri::cli

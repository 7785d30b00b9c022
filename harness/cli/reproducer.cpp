#include "harness/cli/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/cli/command_check.hpp"
#include "harness/cli/confirm.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/report/text.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/find_line.hpp"
#include "harness/trace/npy_payload.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/reproducer_command.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using State = CheckResult::State;

bool is_scenario_name(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".jsonl") || name.ends_with(".jsonl.zst");
}

std::string story_of(const Diagnosis& diagnosis) {
  std::string story;
  for (const Finding& finding : diagnosis.findings) {
    story += finding.text + '\n';
    for (const std::string& evidence : finding.evidence) story += "  " + evidence + '\n';
  }
  for (const std::string& note : diagnosis.notes) story += note + '\n';
  return story;
}

// A signature begins with the kind of its failure, so that it says all.
std::string text_of(const Outcome& outcome) {
  if (!outcome.signature.empty()) return outcome.signature;
  return outcome.verdict ? std::string(name_of(*outcome.verdict)) : "";
}

// A failure that must be absent is there, too, where another one is in front of it.
bool is_behind_another(const Diagnosis& diagnosis, const Outcome& expected) {
  return expected.absent && !expected.signature.empty() && expected.signature != diagnosis.signature &&
         has_failure(diagnosis, expected.signature);
}

bool agrees(const Diagnosis& diagnosis, const Outcome& expected) {
  if (is_behind_another(diagnosis, expected)) return true;
  const bool verdict = !expected.verdict || *expected.verdict == diagnosis.verdict;
  return verdict && (expected.signature.empty() || expected.signature == diagnosis.signature);
}

// `judged` is what the diagnosis is of: the scenario itself or a record of its replay.
CheckResult compared(const Diagnosis& diagnosis, const Scenario& judged, const Outcome& expected, bool shown) {
  if (shown != expected.absent) {
    return {State::met, std::string(name_of(diagnosis.verdict)) + (expected.absent ? ", not the failure" : "")};
  }
  CheckResult result{State::missed, {}, story_of(diagnosis)};
  result.actual = text_of({diagnosis.verdict, diagnosis.signature, false});
  result.expected = (expected.absent ? "not " : "") + text_of(expected);
  if (is_behind_another(diagnosis, expected))
    result.text = fmt::format("the failure is back (behind another one: {}): {}", result.actual, expected.signature);
  else
    result.text = expected.absent ? fmt::format("the failure is back: {}", result.actual)
                                  : fmt::format("expected {}, got {}", result.expected, result.actual);
  result.site = site_of_culprit(diagnosis, judged);
  return result;
}

// The line of the event to look at in the scenario's file; 0 where it has none. A replay keeps the numbers of events.
std::size_t line_of_culprit(const Diagnosis& diagnosis, const Scenario& judged, const Scenario& scenario,
                            const fs::path& file) {
  std::optional<EventRef> ref = culprit_of(diagnosis, judged);
  if (!ref || ref->rank >= scenario.world()) return 0;
  const std::uint32_t seq = at(judged, *ref).seq;
  const auto& events = scenario.ranks[static_cast<std::size_t>(ref->rank)].events;
  const auto same = std::find_if(events.begin(), events.end(), [&](const Event& e) { return e.seq == seq; });
  if (same == events.end()) return 0;
  ref->index = static_cast<std::uint32_t>(same - events.begin());
  return line_of(file, *ref);
}

CheckResult check_model(const Scenario& scenario, const fs::path& file) {
  const Diagnosis diagnosis = diagnose(scenario);
  const Outcome& expected = *scenario.header.expect;
  CheckResult result = compared(diagnosis, scenario, expected, agrees(diagnosis, expected));
  if (result.state == State::missed) result.line = line_of_culprit(diagnosis, scenario, scenario, file);
  return result;
}

CheckResult check_live(const Scenario& scenario, const fs::path& file) {
  if (std::string reason = why_not_live(scenario); !reason.empty()) return {State::skipped, std::move(reason)};
  if (scenario.header.expect->verdict == Verdict::ambiguous) {
    return {State::skipped, "what is expected is that the evidence does not decide"};
  }
  try {
    ReplayOptions options;
    options.source = file.string();
    const Confirmation live = confirm_live(scenario, *scenario.header.expect, options);
    const bool shown = live.shown || is_behind_another(live.replay.diagnosis, *scenario.header.expect);
    CheckResult result = compared(live.replay.diagnosis, live.replay.recorded, *scenario.header.expect, shown);
    if (result.state == State::met) {
      result.text = text_of(live, scenario.world());
    } else {
      result.text += fmt::format(" ({})", text_of(live, scenario.world()));
      result.detail += live.replay.job.output;
      result.line = line_of_culprit(live.replay.diagnosis, live.replay.recorded, scenario, file);
    }
    return result;
  } catch (const InputError& error) {
    return {State::skipped, error.what()};
  } catch (const EnvironmentError& error) {
    return {State::skipped, error.what()};
  }
}

CheckResult check_command_beside(const Scenario& scenario, const fs::path& file, const fs::path& command_file,
                                 const ReproducerOptions& options) {
  const ReproducerCommand command = read_reproducer_command(command_file);
  if (!options.run_commands) return {State::skipped, "its command is run with --run-commands only"};
  try {
    return check_command(scenario, command, file, options);
  } catch (const EnvironmentError& error) {
    // A guard that cannot stand is no reason to be content: it is told apart from what is skipped.
    CheckResult result{State::inconclusive, error.what()};
    result.lacks = true;
    return result;
  }
}

// A guard that is never asked would be one in name only.
void require_scenarios_beside(const std::vector<fs::path>& commands, const std::vector<fs::path>& scenarios) {
  for (const fs::path& command : commands) {
    const bool has_one = std::any_of(scenarios.begin(), scenarios.end(), [&](const fs::path& scenario) {
      return scenario.parent_path() == command.parent_path();
    });
    if (!has_one)
      throw InputError(command.string(), 0, 0, "there is no scenario beside it whose failure it guards against");
  }
}

}  // namespace

std::vector<fs::path> find_scenarios(const fs::path& path) {
  if (!fs::exists(path)) throw InputError(path.string(), 0, 0, "no such file or folder");
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> found, commands;
  for (auto entry = fs::recursive_directory_iterator(path); entry != fs::recursive_directory_iterator(); ++entry) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory()) entry.disable_recursion_pending();
    if (!hidden && entry->is_regular_file() && is_scenario_name(entry->path())) found.push_back(entry->path());
    if (entry->path().filename() == kReproducerFile) commands.push_back(entry->path());
  }
  require_scenarios_beside(commands, found);
  if (found.empty()) throw InputError(path.string(), 0, 0, "holds no scenario (*.jsonl, *.jsonl.zst)");
  std::sort(found.begin(), found.end());
  return found;
}

std::string_view name_of(CheckMode mode) {
  switch (mode) {
    case CheckMode::model: return "model";
    case CheckMode::live: return "live";
    case CheckMode::command: break;
  }
  return "command";
}

std::optional<fs::path> command_file_of(const fs::path& file) {
  fs::path beside = file.parent_path() / kReproducerFile;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(beside, error))) return std::nullopt;
  return beside;
}

CheckResult check_reproducer(const fs::path& file, CheckMode mode, const ReproducerOptions& options) {
  try {
    const Scenario scenario = read_scenario(file);
    if (scenario.cut) return {State::unreadable, fmt::format("{}: the file stops before its end line", file.string())};
    const auto& expect = scenario.header.expect;
    const bool bare_absent = expect && expect->absent && !expect->verdict && expect->signature.empty();
    const auto command_file = command_file_of(file);
    if (!(bare_absent && command_file) && (!expect || (!expect->verdict && expect->signature.empty()))) {
      CheckResult result{options.allow_no_expect ? State::skipped : State::unreadable,
                         fmt::format("{}: no verdict or signature in `expect`: not a reproducer", file.string())};
      result.passed_over = options.allow_no_expect;
      return result;
    }
    if (mode == CheckMode::command) return check_command_beside(scenario, file, *command_file, options);
    if (bare_absent) return {State::skipped, "what it expects is absent from its command's runs"};
    if (mode == CheckMode::live) return check_live(scenario, file);
    Scenario judged = scenario;
    take_in_npy(judged, file.parent_path(), file);
    return check_model(judged, file);
  } catch (const InputError& error) {
    CheckResult result{State::unreadable, error.what()};
    if (error.file() == file.string()) result.line = error.line();
    return result;
  } catch (const std::exception& error) {
    return {State::missed, error.what()};
  }
}

double limit_of(const fs::path& file, CheckMode mode, const ReproducerOptions& options) {
  if (mode != CheckMode::command || !options.run_commands) return options.timeout_s;
  try {
    return limit_of(read_reproducer_command(command_file_of(file).value()), options);
  } catch (const std::exception&) {
    return options.timeout_s;  // the check itself will tell
  }
}

}  // namespace petri::cli

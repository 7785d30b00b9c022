#include "harness/cli/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>

#include "harness/cli/confirm.hpp"
#include "harness/cli/live_limits.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/read.hpp"

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

bool agrees(const Diagnosis& diagnosis, const Outcome& expected) {
  const bool verdict = !expected.verdict || *expected.verdict == diagnosis.verdict;
  return verdict && (expected.signature.empty() || expected.signature == diagnosis.signature);
}

CheckResult compared(const Diagnosis& diagnosis, const Outcome& expected, bool shown) {
  if (shown != expected.absent) {
    return {State::met, std::string(name_of(diagnosis.verdict)) + (expected.absent ? ", not the failure" : ""), {}};
  }
  const std::string actual = text_of({diagnosis.verdict, diagnosis.signature, false});
  return {State::missed,
          expected.absent ? fmt::format("the failure is back: {}", actual)
                          : fmt::format("expected {}, got {}", text_of(expected), actual),
          story_of(diagnosis)};
}

CheckResult check_model(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  return compared(diagnosis, *scenario.header.expect, agrees(diagnosis, *scenario.header.expect));
}

CheckResult check_live(const Scenario& scenario, const fs::path& file) {
  if (std::string reason = why_not_live(scenario); !reason.empty()) return {State::skipped, std::move(reason), {}};
  if (scenario.header.expect->verdict == Verdict::ambiguous) {
    return {State::skipped, "what is expected is that the evidence does not decide", {}};
  }
  try {
    ReplayOptions options;
    options.source = file.string();
    const Confirmation live = confirm_live(scenario, *scenario.header.expect, options);
    CheckResult result = compared(live.replay.diagnosis, *scenario.header.expect, live.shown);
    if (result.state == State::met) {
      result.text = text_of(live, scenario.world());
    } else {
      result.text += fmt::format(" ({})", text_of(live, scenario.world()));
      result.detail += live.replay.job.output;
    }
    return result;
  } catch (const InputError& error) {
    return {State::skipped, error.what(), {}};
  } catch (const EnvironmentError& error) {
    return {State::skipped, error.what(), {}};
  }
}

}  // namespace

std::vector<fs::path> find_scenarios(const fs::path& path) {
  if (!fs::exists(path)) throw InputError(path.string(), 0, 0, "no such file or folder");
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> found;
  for (auto entry = fs::recursive_directory_iterator(path); entry != fs::recursive_directory_iterator(); ++entry) {
    const bool hidden = entry->path().filename().string().starts_with('.');
    if (hidden && entry->is_directory()) entry.disable_recursion_pending();
    if (!hidden && entry->is_regular_file() && is_scenario_name(entry->path())) found.push_back(entry->path());
  }
  if (found.empty()) throw InputError(path.string(), 0, 0, "holds no scenario (*.jsonl, *.jsonl.zst)");
  std::sort(found.begin(), found.end());
  return found;
}

std::string_view name_of(CheckMode mode) {
  return mode == CheckMode::model ? "model" : "live";
}

std::string_view name_of(State state) {
  switch (state) {
    case State::met: return "met";
    case State::missed: return "missed";
    case State::unreadable: return "unreadable";
    case State::inconclusive: return "inconclusive";
    case State::skipped: break;
  }
  return "skipped";
}

CheckResult check_reproducer(const fs::path& file, CheckMode mode, bool allow_no_expect) {
  try {
    const Scenario scenario = read_scenario(file);
    if (scenario.cut)
      return {State::unreadable, fmt::format("{}: the file stops before its end line", file.string()), {}};
    const auto& expect = scenario.header.expect;
    if (!expect || (!expect->verdict && expect->signature.empty())) {
      const State state = allow_no_expect ? State::skipped : State::unreadable;
      return {state, fmt::format("{}: no verdict or signature in `expect`: not a reproducer", file.string()), {}};
    }
    return mode == CheckMode::model ? check_model(scenario) : check_live(scenario, file);
  } catch (const InputError& error) {
    return {State::unreadable, error.what(), {}};
  } catch (const std::exception& error) {
    return {State::missed, error.what(), {}};
  }
}

std::string to_text(const CheckResult& result) {
  const nlohmann::json json{{"state", result.state}, {"text", result.text}, {"detail", result.detail}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

CheckResult check_result_from(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return {json.at("state").get<State>(), json.at("text").get<std::string>(), json.at("detail").get<std::string>()};
}

}  // namespace petri::cli

#include "harness/cli/check_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/terminal.hpp"
#include "harness/report/text.hpp"
#include "harness/trace/counted.hpp"

namespace petri::cli {
namespace {

using State = CheckResult::State;

constexpr State kStates[] = {State::met, State::missed, State::inconclusive, State::unreadable, State::skipped};

const char* mark_of(State state) {
  switch (state) {
    case State::met: return "ok";
    case State::skipped: return "skip";
    case State::inconclusive: return "??";
    case State::missed:
    case State::unreadable: break;
  }
  return "FAIL";
}

std::string text_of(const CheckResult& result) {
  switch (result.state) {
    case State::skipped: return fmt::format("skipped ({})", result.text);
    case State::inconclusive: return fmt::format("inconclusive ({})", result.text);
    default: return result.text;
  }
}

}  // namespace

void print_check(const Check& check, std::FILE* to) {
  say(to, "{:<4}  {}  {}: {}\n", mark_of(check.result.state), printable_line(check.file.string()), name_of(check.mode),
      printable_line(text_of(check.result)));
  std::fflush(to);
}

void print_summary(const std::vector<Check>& checks, std::FILE* to) {
  std::string text = counted(checks.size(), "check") + ":";
  for (const State state : kStates)
    text += fmt::format("{} {} {}", state == kStates[0] ? "" : ",", count(checks, state), name_of(state));
  say(to, "{}\n", text);
}

void print_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json json;
  for (const State state : kStates) json[std::string(name_of(state))] = count(checks, state);
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    nlohmann::ordered_json one{{"file", check.file.string()},
                               {"mode", name_of(check.mode)},
                               {"state", name_of(check.result.state)},
                               {"text", check.result.text},
                               {"seconds", check.seconds}};
    if (!check.result.expected.empty()) one["expected"] = check.result.expected;
    if (!check.result.actual.empty()) one["actual"] = check.result.actual;
    if (!check.result.site.empty()) one["site"] = check.result.site;
    if (check.result.line > 0) one["line"] = check.result.line;
    if (!check.result.detail.empty()) one["detail"] = check.result.detail;
    json["checks"].push_back(std::move(one));
  }
  fmt::print("{}\n", printable_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
}

}  // namespace petri::cli

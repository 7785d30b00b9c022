#include "harness/cli/check_report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/terminal.hpp"
#include "harness/report/junit.hpp"
#include "harness/report/text.hpp"

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

// JUnit's error is a test that could not tell.
JunitCase::Result junit_result_of(State state) {
  switch (state) {
    case State::met: return JunitCase::Result::passed;
    case State::missed: return JunitCase::Result::failed;
    case State::inconclusive:
    case State::unreadable: return JunitCase::Result::error;
    case State::skipped: break;
  }
  return JunitCase::Result::skipped;
}

std::string text_of(const CheckResult& result) {
  switch (result.state) {
    case State::skipped: return fmt::format("skipped ({})", result.text);
    case State::inconclusive: return fmt::format("inconclusive ({})", result.text);
    default: return result.text;
  }
}

}  // namespace

void print_check(const Check& check) {
  say(stdout, "{:<4}  {}  {}: {}\n", mark_of(check.result.state), check.file.string(), name_of(check.mode),
      printable_line(text_of(check.result)));
  std::fflush(stdout);
}

void print_summary(const std::vector<Check>& checks) {
  std::string text = fmt::format("{} checks:", checks.size());
  for (const State state : kStates)
    text += fmt::format("{} {} {}", state == kStates[0] ? "" : ",", count(checks, state), name_of(state));
  say(stdout, "{}\n", text);
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
    if (!check.result.detail.empty()) one["detail"] = check.result.detail;
    json["checks"].push_back(std::move(one));
  }
  fmt::print("{}\n", printable_json(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)));
}

void write_junit_report(const std::vector<Check>& checks, const std::string& file) {
  JunitSuite suite;
  suite.name = "petri check";
  for (const Check& check : checks) {
    JunitCase made;
    made.name = fmt::format("{} ({})", check.file.string(), name_of(check.mode));
    made.classname = check.file.parent_path().string();
    made.seconds = check.seconds;
    made.result = junit_result_of(check.result.state);
    if (check.result.state != State::met) made.message = check.result.text;
    made.detail = check.result.detail;
    suite.cases.push_back(std::move(made));
  }
  write_junit({suite}, file);
}

}  // namespace petri::cli

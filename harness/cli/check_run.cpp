#include "harness/cli/check_run.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "harness/cli/isolated.hpp"

namespace petri::cli {
namespace {

using State = CheckResult::State;

CheckResult result_of(const TaskEnd& end, CheckMode mode, double limit_s) {
  switch (end.kind) {
    case TaskEnd::Kind::timed_out:
      return {mode == CheckMode::command ? State::inconclusive : State::missed,
              fmt::format("no result within {} s: stopped", limit_s)};
    case TaskEnd::Kind::crashed: return {State::missed, "the check crashed: " + end.text, {}};
    case TaskEnd::Kind::interrupted: return {State::inconclusive, "interrupted", {}};
    case TaskEnd::Kind::done: break;
  }
  return check_result_from(end.text);
}

}  // namespace

void run_checks(std::vector<Check>& checks, const CheckOptions& options,
                const std::function<void(const Check&)>& ended) {
  std::vector<std::function<std::string()>> tasks;
  std::vector<double> limits_s;
  for (const Check& check : checks) {
    tasks.push_back(
        [&check, &options] { return to_text(check_reproducer(check.file, check.mode, options.reproducer)); });
    limits_s.push_back(limit_of(check.file, check.mode, options.reproducer));
  }
  const auto limit_of_task = [&](std::size_t i) { return limits_s[i]; };
  run_isolated(tasks, options.jobs, limit_of_task, [&](std::size_t i, const TaskEnd& end) {
    checks[i].result = result_of(end, checks[i].mode, limits_s[i]);
    checks[i].seconds = end.seconds;
    ended(checks[i]);
  });
}

}  // namespace petri::cli

// Reproducers: scenarios with an expectation, and judging one by it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::cli {

// Scenario files (*.jsonl, *.jsonl.zst) at or below `path`, sorted; hidden folders are passed over. A path that is a
// file is taken as it is. Throws InputError for a path that is not there or holds no scenario file.
std::vector<std::filesystem::path> find_scenarios(const std::filesystem::path& path);

enum class CheckMode { model, live };
std::string_view name_of(CheckMode mode);

// What came of one check.
struct CheckResult {
  enum class State {
    met,
    missed,       // another outcome than expected, or none within the time limit
    unreadable,   // no scenario, or none with an expectation
    skipped,      // cannot run here
    inconclusive  // it ran, and what came of it does not decide
  };
  State state = State::skipped;
  std::string text;    // one line: the outcome, or the reason
  std::string detail;  // the whole story where the expectation was missed
};
std::string_view name_of(CheckResult::State state);

// Reads the file and judges it. Never throws; may hang where model or replay do: give it a process of its own.
// A file without `expect` is unreadable, or skipped with `allow_no_expect`.
CheckResult check_reproducer(const std::filesystem::path& file, CheckMode mode, bool allow_no_expect);

// Between processes, as one line of JSON.
std::string to_text(const CheckResult& result);
CheckResult check_result_from(const std::string& text);

}  // namespace petri::cli

// Reproducers: scenarios with an expectation, and judging one by it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/check_case.hpp"

namespace petri::cli {

// Scenario files (*.jsonl, *.jsonl.zst) at or below `path`, sorted; hidden folders are passed over. A path that is a
// file is taken as it is. Throws InputError for a path that is not there or holds no scenario file.
std::vector<std::filesystem::path> find_scenarios(const std::filesystem::path& path);

enum class CheckMode { model, live };
std::string_view name_of(CheckMode mode);

// What came of one check.
struct CheckResult {
  using State = CheckState;
  State state = State::skipped;
  std::string text;                        // one line: the outcome, or the reason
  std::string detail = {};                 // the whole story where the expectation was missed
  std::string expected = {}, actual = {};  // both sides, where the expectation was missed
  // The call that a missed expectation points at: its line in the user's source ("train.cpp:52"; empty: unknown) and
  // in the scenario file (from 1; 0: unknown).
  std::string site = {};
  std::size_t line = 0;
};

// Reads the file and judges it. Never throws; may hang where model or replay do: give it a process of its own.
// A file without `expect` is unreadable, or skipped with `allow_no_expect`.
CheckResult check_reproducer(const std::filesystem::path& file, CheckMode mode, bool allow_no_expect);

// Between processes, as one line of JSON.
std::string to_text(const CheckResult& result);
CheckResult check_result_from(const std::string& text);

}  // namespace petri::cli

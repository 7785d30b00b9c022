// Reproducers: scenarios with an expectation, and judging one by it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/check_result.hpp"

namespace petri::cli {

// Scenario files (*.jsonl, *.jsonl.zst) at or below `path`, sorted; hidden folders are passed over. A path that is a
// file is taken as it is. Throws InputError for a path that is not there or holds no scenario file, and for a
// command without a scenario beside it.
std::vector<std::filesystem::path> find_scenarios(const std::filesystem::path& path);

// Three questions: does the model still see the failure in the scenario, does a live replay still show it, and does the
// command beside it, where there is one, still keep away from it?
enum class CheckMode { model, live, command };
std::string_view name_of(CheckMode mode);

struct ReproducerOptions {
  bool allow_no_expect = false;
  bool run_commands = false;                        // commands are run for those only who ask for it
  std::vector<std::filesystem::path> program_path;  // where the commands' programs lie, before PATH
  double timeout_s = 60;                            // of one run of a command that states none
};

// The file with the command that goes with a scenario file; nothing where there is none.
std::optional<std::filesystem::path> command_file_of(const std::filesystem::path& file);

// Reads the file and judges it. Never throws; may hang where model or replay do: give it a process of its own.
// A file without `expect` is unreadable, or skipped with `allow_no_expect`.
CheckResult check_reproducer(const std::filesystem::path& file, CheckMode mode, const ReproducerOptions& options);

// How long that may take at most: `timeout_s` or, where commands are run, all their runs.
double limit_of(const std::filesystem::path& file, CheckMode mode, const ReproducerOptions& options);

}  // namespace petri::cli

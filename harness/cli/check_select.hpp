// Which checks `petri check` makes.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/check.hpp"

namespace petri::cli {

struct Selection {
  std::vector<Check> checks;
  std::vector<std::filesystem::path> inputs;  // the files of all reproducers there, selected or not
  // What left reproducers out, with what became of it: {"changed since", "origin/main"}, {"shard", "2/5"}.
  std::vector<std::pair<std::string, std::string>> narrowed_by;
  std::size_t reproducers = 0, of = 0;  // selected, and there in all

  std::size_t found = 0;  // scenarios at or below the paths

  // There are reproducers, and nothing of them was asked for.
  bool empty_on_purpose() const { return checks.empty(); }
};

// The checks of all reproducers at or below the paths, each file once, in the order of the paths and sorted below each;
// then of those only which --changed and --shard ask for. --changed keeps the commands of all, where they are run. The
// shards are parts of what it leaves. Throws
// InputError for a path that holds no scenario, and what changed_files and parse_shard throw.
Selection select_checks(const CheckOptions& options);

// "3 of 74 reproducers (changed since 1234abcd; shard 2/5)", or that none has a command where commands alone were asked
// for; empty where nothing was left out.
std::string text_of(const Selection& selection);

}  // namespace petri::cli

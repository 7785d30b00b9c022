// The subcommands of `petri`: one file each, listed in main.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::cli {

// Exit statuses, the same for every subcommand (README, "Exit status").
enum ExitStatus : int {
  kOk = 0,
  kExpectationMissed = 1,
  kBadInput = 2,
  kEnvironmentMissing = 3,
  kAmbiguous = 4,
  kNotReproduced = 5,
  kDeadlock = 10,
  kMismatch = 11,
  kDivergence = 12,
  kRace = 13,
  kRankError = 14,
  kSkew = 15,
  kMisuse = 16,
};

// The status of what `record`, `diagnose`, `replay` or `compare` found.
int exit_status_of(Verdict verdict);

// Wrong use of the command line: exit status 2 with this text and a pointer to --help.
struct UsageError {
  std::string text;
};

struct Command {
  std::string_view name;
  std::string_view summary;                          // one line for `petri --help`
  int (*run)(const std::vector<std::string>& args);  // args: what follows the name; returns an exit status
};

int run_check(const std::vector<std::string>& args);
int run_compare(const std::vector<std::string>& args);
int run_diagnose(const std::vector<std::string>& args);
int run_export(const std::vector<std::string>& args);
int run_import(const std::vector<std::string>& args);
int run_record(const std::vector<std::string>& args);
int run_replay(const std::vector<std::string>& args);
int run_show(const std::vector<std::string>& args);
int run_shrink(const std::vector<std::string>& args);

}  // namespace petri::cli

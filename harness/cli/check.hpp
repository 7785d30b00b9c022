// The parts of `petri check`: what it was asked, which checks that makes, and what came of each. Selecting
// (check_select), running (check_run) and reporting (check_report) know each other by this alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/reproducer.hpp"

namespace petri::cli {

struct CheckOptions {
  std::vector<std::string> paths;
  std::string junit;
  std::vector<std::string> reports;    // FORMAT[:FILE]
  std::string shard;                   // "2/5"; empty: all
  std::optional<std::string> changed;  // only what changed since this revision; empty text: since the usual one
  int jobs = 1;
  bool model_only = false, live_only = false, commands_only = false, json = false;
  ReproducerOptions reproducer;
};

// One reproducer, looked at in one way.
struct Check {
  std::filesystem::path file;
  CheckMode mode;
  CheckResult result = {};
  double seconds = 0;
};

// `petri check --add …`, which checks nothing but files a reproducer.
int run_check_add(const std::vector<std::string>& args);

std::size_t count(const std::vector<Check>& checks, CheckResult::State state);

}  // namespace petri::cli

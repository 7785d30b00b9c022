// The command line of `petri shrink`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace petri::cli {

struct KOfN {
  int k = 1, n = 1;
};

struct ShrinkArguments {
  std::vector<std::string> sources;
  std::string output, oracle, journal, also_found, keep;
  std::optional<KOfN> k_of_n;
  int jobs = 1;
  std::uint64_t seed = 0, max_tests = 0;
  double max_time_s = 0, timeout_s = 0;
  bool resume = false, no_live = false, json = false;

  bool asks_model() const { return oracle == "model"; }
  bool asks_live() const { return oracle == "live"; }
  bool asks_command() const { return !asks_model() && !asks_live(); }

  // Where the verdicts go: beside the result, unless another place is named. Empty where the result goes to a pipe or
  // the like and none is named: then they are not kept.
  std::filesystem::path journal_place() const;
};

// Nothing when only help was wanted. `output` is complete, and it and the journal's place can be written. Throws
// UsageError, and EnvironmentError for a place that cannot be written.
std::optional<ShrinkArguments> parse_shrink(const std::vector<std::string>& args);

}  // namespace petri::cli

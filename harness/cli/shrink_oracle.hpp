// Who judges in `petri shrink`, and what it says of the input itself.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/command_oracle.hpp"
#include "harness/cli/shrink_options.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "reducers/oracle.hpp"

namespace petri::cli {

struct ShrinkOracle {
  reduce::Oracle once;    // one question
  reduce::Oracle ask;     // with the repeats that were asked for
  std::string name;       // with its settings, for the journal
  std::string programs;   // digests of what answers, for the journal
  int asks_of_input = 1;  // more than once where it may answer differently
  std::optional<CommandOracle> command = std::nullopt;
};

// What was to be shrunk does not happen.
struct NotReproduced {
  std::string reason;
};

// Throws UsageError for a command without words, EnvironmentError where a live replay lacks something, NotReproduced
// where neither the model nor a replay finds a fault.
ShrinkOracle oracle_for(const ShrinkArguments& arguments, const Scenario& input, const Diagnosis& diagnosis);

// Empty when the oracle finds the failure in the input, each time that it is asked or as often as --k-of-n wants.
// Otherwise why not, for a person: how often it did, what would help, what the user's program printed.
std::string why_not_shrunk(const ShrinkOracle& oracle, const ShrinkArguments& arguments, const Scenario& input);

// For a program that finds a failing candidate with this probability when asked once: the N of `--k-of-n 1/N` that
// misses it less than once in a thousand.
int repeats_for(double probability);

}  // namespace petri::cli

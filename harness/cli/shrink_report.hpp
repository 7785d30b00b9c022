// What `petri shrink` says: while it works, and at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/shrink_options.hpp"
#include "harness/cli/status_line.hpp"
#include "harness/trace/scenario.hpp"
#include "reducers/engine.hpp"

namespace petri::cli {

class ProgressLine {
 public:
  void show(const reduce::Progress& progress);
  void finish() { line_.finish(); }

 private:
  StatusLine line_;
};

struct LiveConfirmation {
  enum class State { confirmed, differs, undecided, skipped };
  State state = State::skipped;
  std::string text;    // what the replay showed, or why there was none
  double seconds = 0;  // of the replay
};

struct ShrinkReport {
  std::string input, output;
  Outcome outcome;                     // of the result; verdict empty where only a user's command knows what fails
  std::vector<std::int32_t> culprits;  // who began the input's failure, by ranks of the original job; ascending
  reduce::Size before, after;
  LiveConfirmation live;
  std::vector<std::string> also_found_files;  // one for each of result.also_found, or empty
  reduce::Answers asked_again;                // about the result, where a user's command judged
  std::vector<std::string> other_failures;    // that the input holds besides the one that was shrunk
  std::string warning;                        // about the oracle; empty where there is none
  std::optional<KOfN> k_of_n;                 // that each answer rests on
  bool ended = false;                         // not stopped early
  std::string journal;                        // from which the same command goes on; empty where none was kept
};

void print_text(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to);
void print_json(const ShrinkReport& report, const reduce::ShrinkResult& result, std::FILE* to);

}  // namespace petri::cli

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "harness/cli/command.hpp"
#include "harness/cli/oracles.hpp"
#include "harness/cli/words.hpp"
#include "harness/launch/guardian.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/run_folder.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

using reduce::Answer;
using reduce::Judgement;
using Clock = std::chrono::steady_clock;

constexpr int kSkipStatus = 125;
constexpr int kLook_ms = 50;
constexpr double kGrace_s = 1;

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words = split_words(command);
  if (words.empty()) throw UsageError{"--oracle needs model, live or a command"};
  // The command starts in another folder, where a relative path would lead nowhere.
  if (words[0].find('/') != std::string::npos) words[0] = std::filesystem::absolute(words[0]).string();
  return words;
}

// How the command ended; nothing after the limit or an interrupt, when it was stopped.
std::optional<CommandEnd> wait_for(Guardian& guardian, double limit_s) {
  const auto limit = Clock::now() + std::chrono::duration<double>(limit_s);
  while (Clock::now() < limit && interrupt_count() == 0) {
    if (const auto end = guardian.ended(kLook_ms)) return end;
  }
  guardian.stop(kGrace_s);
  while (!guardian.ended(kLook_ms)) continue;
  return std::nullopt;
}

Judgement run_command(std::vector<std::string> words, const Scenario& scenario, double limit_s) {
  const std::filesystem::path folder = make_run_folder(0);
  const std::filesystem::path file = folder / "scenario.jsonl";
  try {
    write_scenario(scenario, file);
  } catch (...) {
    std::filesystem::remove_all(folder);
    throw;
  }
  words.push_back(file.string());
  Guardian guardian({std::move(words), {}, false, "/dev/null", folder}, folder);
  const std::optional<CommandEnd> end = wait_for(guardian, limit_s);
  if (!end) return {Answer::unresolved, {}};
  if (end->signal != 0) return {Answer::passes, {}};
  if (end->status == 0) return {Answer::reproduces, {}};
  return {end->status == kSkipStatus ? Answer::unresolved : Answer::passes, {}};
}

}  // namespace

reduce::Oracle command_oracle(const std::string& command, double limit_s) {
  return
      [words = words_of(command), limit_s](const Scenario& scenario) { return run_command(words, scenario, limit_s); };
}

}  // namespace petri::cli

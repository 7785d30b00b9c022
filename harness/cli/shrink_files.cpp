#include "harness/cli/shrink_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "harness/cli/output.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/whole_file.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAlso = "also-", kPart = ".part";

bool holds(const fs::path& file, const std::string& text) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && fs::file_size(file, ignored) == text.size() &&
         read_whole(file, text.size()) == text;
}

std::string text_of(Scenario scenario) {
  const Outcome outcome = outcome_of(scenario);
  scenario.header.expect = outcome;
  drop_observed(scenario, outcome);
  std::ostringstream text;
  write_scenario(scenario, text);
  return std::move(text).str();
}

void remove_torn_files(const fs::path& folder, std::string_view begin) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t part = name.rfind(kPart);
    const bool torn = name.starts_with(begin) && part != std::string::npos &&
                      name.find_first_not_of("0123456789", part + kPart.size()) == std::string::npos;
    if (torn) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

Outcome outcome_of(const Scenario& scenario) {
  const Diagnosis diagnosis = diagnose(scenario);
  if (diagnosis.signature.empty()) return {};
  return {diagnosis.verdict, diagnosis.signature, false};
}

void drop_observed(Scenario& scenario, const Outcome& outcome) {
  const std::optional<Outcome> observed = std::exchange(scenario.header.observed, std::nullopt);
  if (observed && outcome_of(scenario) != outcome) scenario.header.observed = Outcome{observed->verdict, {}, false};
}

std::vector<std::string> file_also_found(const fs::path& folder, const std::vector<reduce::AlsoFound>& found) {
  std::vector<std::string> files;
  fs::create_directories(folder);
  for (const reduce::AlsoFound& one : found) {
    const std::string text = text_of(one.scenario);
    const auto is_taken = [&](const fs::path& file) {
      return std::find(files.begin(), files.end(), file.string()) != files.end() ||
             (fs::exists(file) && !holds(file, text));
    };
    fs::path file;
    for (int number = 1; file.empty() || is_taken(file); ++number)
      file = folder / fmt::format("{}{}.jsonl", kAlso, number);
    if (!fs::exists(file)) write_file(file, text);
    files.push_back(file.string());
  }
  return files;
}

void remove_torn_output(const fs::path& output) {
  remove_torn_files(output.parent_path(), output.filename().string() + std::string(kPart));
}

void remove_torn_also_found(const fs::path& folder) {
  remove_torn_files(folder, kAlso);
}

}  // namespace petri::cli

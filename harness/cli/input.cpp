#include "harness/cli/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <utility>

#include "harness/cli/command.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/import/recording.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/npy_payload.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/read_stdin.hpp"
#include "harness/trace/record_view.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartsOfOne =
    "several sources must all be folders of recorded ranks, or all parts of one foreign trace";

bool is_recording(const std::string& source) {
  std::error_code ignored;
  return fs::is_directory(source, ignored) && !record::record_files(source).empty();
}

std::vector<fs::path> paths(const std::vector<std::string>& sources) {
  return {sources.begin(), sources.end()};
}

}  // namespace

Input::Input(std::vector<std::string> sources) : sources_(std::move(sources)) {
  const auto recordings = std::count_if(sources_.begin(), sources_.end(), is_recording);
  if (recordings > 0) {
    if (static_cast<std::size_t>(recordings) != sources_.size()) throw UsageError{kPartsOfOne};
    kind_ = InputKind::recording;
    return;
  }
  const bool alone = sources_.size() == 1;
  std::error_code ignored;
  if (alone && (is_stdin(sources_.front()) ||
                !(fs::is_directory(sources_.front(), ignored) || fs::is_regular_file(sources_.front(), ignored))))
    return;
  if (alone && fs::is_regular_file(sources_.front(), ignored) && !is_foreign(sources_.front())) return;
  foreign_.emplace(paths(sources_));
  if (!alone && !foreign_->any()) throw UsageError{kPartsOfOne};
  kind_ = InputKind::foreign;
}

std::string Input::name() const {
  if (sources_.size() == 1) return is_stdin(sources_.front()) ? "standard input" : sources_.front();
  return fmt::format("{} and {}", sources_.front(), counted(sources_.size() - 1, "other"));
}

Scenario Input::load() const {
  switch (kind_) {
    case InputKind::recording: return import_recording(paths(sources_));
    case InputKind::foreign: {
      Imported imported = import();
      say_notes(imported, false);
      return std::move(imported.scenario);
    }
    case InputKind::scenario: break;
  }
  return is_stdin(sources_.front()) ? read_scenario_from_stdin() : read_scenario(sources_.front());
}

Scenario Input::load_with_payload() const {
  Scenario scenario = load();
  if (kind_ != InputKind::scenario) return scenario;
  const std::string& source = sources_.front();
  if (is_stdin(source))
    take_in_npy(scenario, ".", {});
  else
    take_in_npy(scenario, fs::path(source).parent_path(), source);
  return scenario;
}

std::string Input::digest(const Scenario& scenario) const {
  if (sources_.size() == 1 && !is_stdin(sources_.front()) && fs::is_regular_file(sources_.front()))
    return digest_of_file(sources_.front());
  if (foreign_) return foreign_->digest();
  std::ostringstream text;
  write_scenario(scenario, text);
  return digest_of(std::string_view(text.str()));
}

void say_notes(const Imported& imported, bool all) {
  for (const std::string& warning : imported.notes.warnings) say(stderr, "petri: {}\n", printable_line(warning));
  if (!all) return;
  say(stderr, "petri: {} of {}\n", imported.format,
      counted(static_cast<std::uint64_t>(imported.scenario.world()), "rank"));
  for (const std::string& fact : imported.notes.facts) say(stderr, "  {}\n", printable_line(fact));
}

}  // namespace petri::cli

#include "harness/cli/input.hpp"

#include <filesystem>
#include <sstream>

#include "harness/cli/command.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/import/recording.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/npy_payload.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/read_stdin.hpp"
#include "harness/trace/record_view.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {

InputKind kind_of_input(const std::string& path) {
  if (std::filesystem::is_directory(path))
    return record::record_files(path).empty() ? InputKind::foreign : InputKind::recording;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return InputKind::scenario;
  return is_foreign(path) ? InputKind::foreign : InputKind::scenario;
}

void say_notes(const Imported& imported, bool all) {
  for (const std::string& warning : imported.notes.warnings) say(stderr, "petri: {}\n", warning);
  if (!all) return;
  say(stderr, "petri: {} of {}\n", imported.format,
      counted(static_cast<std::uint64_t>(imported.scenario.world()), "rank"));
  for (const std::string& fact : imported.notes.facts) say(stderr, "  {}\n", fact);
}

Scenario load_input(const std::string& path) {
  if (is_stdin(path)) return read_scenario_from_stdin();
  switch (kind_of_input(path)) {
    case InputKind::recording: return import_recording(path);
    case InputKind::foreign: {
      Imported imported = import_foreign({path});
      say_notes(imported, false);
      return std::move(imported.scenario);
    }
    case InputKind::scenario: break;
  }
  return read_scenario(path);
}

Scenario load_with_payload(const std::string& path) {
  Scenario scenario = load_input(path);
  if (is_stdin(path))
    take_in_npy(scenario, ".", {});
  else
    take_in_npy(scenario, std::filesystem::path(path).parent_path(), path);
  return scenario;
}

std::string digest_of_input(const std::string& path, const Scenario& scenario) {
  if (!is_stdin(path) && std::filesystem::is_regular_file(path)) return digest_of_file(path);
  if (!is_stdin(path) && kind_of_input(path) == InputKind::foreign) return digest_of_files(trace_files({path}));
  std::ostringstream text;
  write_scenario(scenario, text);
  return digest_of(std::string_view(text.str()));
}

}  // namespace petri::cli

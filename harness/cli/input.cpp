#include "harness/cli/input.hpp"

#include <filesystem>
#include <sstream>

#include "harness/cli/command.hpp"
#include "harness/import/recording.hpp"
#include "harness/trace/digest.hpp"
#include "harness/trace/npy_payload.hpp"
#include "harness/trace/read.hpp"
#include "harness/trace/read_stdin.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {

Scenario load_input(const std::string& path) {
  if (is_stdin(path)) return read_scenario_from_stdin();
  return std::filesystem::is_directory(path) ? import_recording(path) : read_scenario(path);
}

Scenario load_with_payload(const std::string& path) {
  Scenario scenario = load_input(path);
  take_in_npy(scenario, is_stdin(path) ? std::filesystem::path(".") : std::filesystem::path(path).parent_path());
  return scenario;
}

std::string digest_of_input(const std::string& path, const Scenario& scenario) {
  if (!is_stdin(path) && std::filesystem::is_regular_file(path)) return digest_of_file(path);
  std::ostringstream text;
  write_scenario(scenario, text);
  return digest_of(std::string_view(text.str()));
}

}  // namespace petri::cli

#include <filesystem>

#include "harness/cli/command.hpp"
#include "harness/import/recording.hpp"
#include "harness/trace/read.hpp"

namespace petri::cli {

Scenario load_input(const std::string& path) {
  return std::filesystem::is_directory(path) ? import_recording(path) : read_scenario(path);
}

}  // namespace petri::cli

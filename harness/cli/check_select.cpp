#include "harness/cli/check_select.hpp"

#include <filesystem>
#include <set>

namespace petri::cli {

namespace fs = std::filesystem;

std::vector<Check> select_checks(const CheckOptions& options) {
  std::vector<Check> checks;
  std::set<fs::path> seen;
  for (const std::string& path : options.paths) {
    for (const fs::path& file : find_scenarios(path)) {
      if (!seen.insert(fs::weakly_canonical(file)).second) continue;
      if (!options.live_only && !options.commands_only) checks.push_back({file, CheckMode::model});
      if (!options.model_only && !options.commands_only) checks.push_back({file, CheckMode::live});
      if (command_file_of(file)) checks.push_back({file, CheckMode::command});
    }
  }
  return checks;
}

}  // namespace petri::cli

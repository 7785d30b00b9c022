#include "harness/launch/mpirun.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "harness/launch/elsewhere.hpp"
#include "harness/trace/error.hpp"

namespace petri {
namespace {

using Setting = std::pair<const char*, const char*>;

// Each once for Open MPI 4.1 (ORTE) and once for 5.0 (PRRTE).
constexpr std::array<Setting, 9> kLocalSettings{{
    {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"PRTE_ALLOW_RUN_AS_ROOT", "1"},
    {"PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
    {"OMPI_MCA_hwloc_base_binding_policy", "none"},
    {"PRTE_MCA_hwloc_default_binding_policy", "none"},
    // 5.0 asks the routing table by default, finds no route from this host to itself, and complains on stderr.
    {"OMPI_MCA_reachable", "weighted"},
}};

// Session folder (4.1, 5.0), and backing files of the shared-memory transport (4.1, 5.0) and of windows.
constexpr std::array kPlaces{
    "OMPI_MCA_orte_tmpdir_base",         "PRTE_MCA_prte_tmpdir_base",         "OMPI_MCA_btl_vader_backing_directory",
    "OMPI_MCA_btl_sm_backing_directory", "OMPI_MCA_osc_sm_backing_directory", "OMPI_MCA_osc_rdma_backing_directory"};

// PMIx 5.0 before its shmem2 (Ubuntu 24.04) keeps job data in files that follow TMPDIR alone, and leaves them behind
// when the launcher is stopped. Others know no component of that name.
constexpr Setting kNoJobDataFiles{"PMIX_MCA_gds", "^shmem"};

}  // namespace

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

GuardedCommand mpirun_command(int world, const std::filesystem::path& program,
                              const std::vector<std::string>& arguments) {
  const char* chosen = std::getenv("PETRI_MPIRUN");
  const std::string name = chosen != nullptr && *chosen != '\0' ? chosen : "mpirun";
  const std::filesystem::path launcher = find_program(name);
  if (launcher.empty()) {
    throw EnvironmentError("no program '" + name +
                           "' is found; install Open MPI (Debian: openmpi-bin) or set PETRI_MPIRUN");
  }
  GuardedCommand command;
  command.arguments = {launcher.string(), "-n", std::to_string(world), program.string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  for (const auto& [variable, value] : kLocalSettings) command.environment.emplace_back(variable, value);
  return command;
}

void keep_launcher_files_in(const std::filesystem::path& folder, GuardedCommand& command) {
  if (may_leave_this_host(command.arguments)) return;
  for (const char* variable : kPlaces) {
    if (std::getenv(variable) == nullptr) command.environment.emplace_back(variable, folder.string());
  }
  const auto& [variable, value] = kNoJobDataFiles;
  if (std::getenv(variable) == nullptr) command.environment.emplace_back(variable, value);
}

}  // namespace petri

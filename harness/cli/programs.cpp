#include <unistd.h>

#include <cstdlib>

#include "harness/cli/live.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {
namespace {

std::filesystem::path own_folder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : self.parent_path();
}

std::filesystem::path chosen_or(const char* variable, const std::filesystem::path& standard, const char* what) {
  const char* chosen = std::getenv(variable);
  const std::filesystem::path file = chosen != nullptr && *chosen != '\0' ? chosen : standard;
  std::error_code error;
  if (std::filesystem::exists(file, error)) return std::filesystem::absolute(file);
  throw EnvironmentError(std::string(what) + " is not at " + file.string() +
                         ": build petri with MPI (PETRI_WITH_MPI=ON, "
                         "Open MPI's development files), or name it in " +
                         variable);
}

}  // namespace

std::filesystem::path recorder_library() {
  return chosen_or("PETRI_RECORDER", own_folder().parent_path() / "lib" / "libpetri_record.so", "the recorder");
}

std::filesystem::path worker_program() {
  return chosen_or("PETRI_WORKER", own_folder() / "petri-worker", "petri-worker");
}

}  // namespace petri::cli

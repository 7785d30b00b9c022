#include "harness/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/cli/command.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {

namespace fs = std::filesystem;

void require_writable(const fs::path& file) {
  const auto refuse = [&](const std::string& reason) {
    throw EnvironmentError(fmt::format("{}: cannot be written: {}", file.string(), reason));
  };
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) refuse("is a folder");
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  // Files are written beside their place and renamed, so it is the folder that must be open.
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

void require_other_than_input(const fs::path& output, const fs::path& input) {
  std::error_code ignored;
  if (!fs::equivalent(output, input, ignored)) return;
  throw UsageError{fmt::format("{} is the input: the original is kept, so name another file", output.string())};
}

}  // namespace petri::cli

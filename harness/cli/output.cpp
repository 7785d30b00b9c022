#include "harness/cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {

namespace fs = std::filesystem;

void require_writable(const fs::path& file) {
  const auto refuse = [&](const std::string& reason) {
    throw EnvironmentError(fmt::format("{}: cannot be written: {}", file.string(), reason));
  };
  WritePlace place;
  try {
    place = place_of(file);
  } catch (const std::system_error& error) {
    refuse(error.code().message());
  }
  std::error_code ignored;
  if (fs::is_directory(place.file, ignored)) refuse("is a folder");
  if (place.descriptor >= 0) {
    const int flags = fcntl(place.descriptor, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) refuse(std::strerror(EBADF));
    return;
  }
  if (place.special) {
    if (access(place.file.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    return;
  }
  const fs::path folder = place.file.has_parent_path() ? place.file.parent_path() : fs::path(".");
  // Files are written beside their place and renamed, so it is the folder that must be open.
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

void require_other_than_input(const fs::path& output, const fs::path& input) {
  std::error_code ignored;
  if (!fs::equivalent(output, input, ignored)) return;
  throw UsageError{fmt::format("{} is the input: the original is kept, so name another file", output.string())};
}

bool is_stdout(const fs::path& output) {
  return place_of(output).descriptor == STDOUT_FILENO;
}

void require_other_than_stdout(const fs::path& output) {
  if (is_stdout(output))
    throw UsageError{"standard output is taken by what is said of the run: name a file for the scenario"};
}

void write_file(const fs::path& file, std::string_view text) {
  write_whole(file, [&](std::ostream& out) { out << text; });
}

}  // namespace petri::cli

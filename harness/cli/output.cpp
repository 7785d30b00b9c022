#include "harness/cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/trace/error.hpp"

namespace petri::cli {

namespace fs = std::filesystem;

namespace {

// There, but nothing that a new file may take the place of.
bool is_special(const fs::path& file) {
  std::error_code ignored;
  return fs::exists(file, ignored) && !fs::is_regular_file(file, ignored);
}

void put(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(), file.string());
}

}  // namespace

void require_writable(const fs::path& file) {
  const auto refuse = [&](const std::string& reason) {
    throw EnvironmentError(fmt::format("{}: cannot be written: {}", file.string(), reason));
  };
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) refuse("is a folder");
  if (is_special(file)) {
    if (access(file.c_str(), W_OK) != 0) refuse(std::strerror(errno));
    return;
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  // Files are written beside their place and renamed, so it is the folder that must be open.
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
}

void require_other_than_input(const fs::path& output, const fs::path& input) {
  std::error_code ignored;
  if (!fs::equivalent(output, input, ignored)) return;
  throw UsageError{fmt::format("{} is the input: the original is kept, so name another file", output.string())};
}

void write_file(const fs::path& file, std::string_view text) {
  if (is_special(file)) return put(file, text);
  fs::path temporary = file;
  temporary += ".part" + std::to_string(::getpid());
  try {
    put(temporary, text);
    fs::rename(temporary, file);
  } catch (...) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    throw;
  }
}

}  // namespace petri::cli

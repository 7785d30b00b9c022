#include "harness/cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ostream>
#include <string>
#include <system_error>

#include "harness/cli/command.hpp"
#include "harness/cli/input.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::array kCompressed{".gz", ".xz", ".bz2", ".lz4", ".lzma", ".Z", ".zip", ".7z", ".br"};

std::string_view name_of(Content content) {
  switch (content) {
    case Content::scenario: return "plain text, or zstd by a name that ends in .zst";
    case Content::text: return "plain text";
    case Content::binary: return "not compressed";
  }
  return "";
}

void require_true_name(const fs::path& file, Content content) {
  const fs::path extension = file.extension();
  const bool zstd = extension == ".zst";
  if (zstd ? content == Content::scenario
           : std::find(kCompressed.begin(), kCompressed.end(), extension) == kCompressed.end())
    return;
  throw UsageError{fmt::format("{}: what is written there is {}: choose a name that does not end in {}", file.string(),
                               name_of(content), extension.string())};
}

}  // namespace

void require_writable(const fs::path& file, Content content) {
  require_true_name(file, content);
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

bool displaces(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  for (const fs::path& place : {a, b}) {
    const fs::file_status status = fs::status(place, ignored);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) return false;
  }
  try {
    return same_place(a, b);
  } catch (const std::system_error&) {
    return false;  // links that lead nowhere: whoever opens them says so
  }
}

void require_other_than_input(const fs::path& output, const std::vector<std::string>& inputs) {
  const auto is_input = [&](const std::string& input) { return !is_stdin(input) && displaces(output, input); };
  if (std::none_of(inputs.begin(), inputs.end(), is_input)) return;
  throw UsageError{fmt::format("{} is the input: the original is kept, so name another file", output.string())};
}

void require_apart(const std::vector<NamedPlace>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (!places[i].path.empty() && !places[before].path.empty() && displaces(places[i].path, places[before].path))
        throw UsageError{fmt::format("{} and {} are one place, {}: name another for one of them", places[before].name,
                                     places[i].name, places[i].path.string())};
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

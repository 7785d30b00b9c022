// Files that a subcommand will write: looked at before the work that they are the result of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace petri::cli {

enum class Content : std::uint8_t {
  scenario,  // plain, or compressed by zstd where the name ends in .zst
  text,      // always plain
  binary     // neither text nor compressed
};

// Throws EnvironmentError where `file` cannot be written: it is a folder, or its folder is missing or closed;
// UsageError where its name promises a compression that it would not have. So that hours of shrinking do not end in a
// message about a wrong path. Writes nothing.
void require_writable(const std::filesystem::path& file, Content content);

// True where writing one of the files, by whatever name, takes away what is read from or written to the other; they
// need not exist. Pipes, terminals and other devices take both.
bool displaces(const std::filesystem::path& a, const std::filesystem::path& b);

// Throws UsageError where `output` is one of the inputs, by whatever name: the original is kept.
void require_other_than_input(const std::filesystem::path& output, const std::vector<std::string>& inputs);

// A place that is written to, and what its user calls it ("--journal"); an empty path is none.
struct NamedPlace {
  std::string_view name;
  std::filesystem::path path;
};

// Throws UsageError where two of them are one.
void require_apart(const std::vector<NamedPlace>& places);

bool is_stdout(const std::filesystem::path& output);

// Throws UsageError where `output` is standard output, which is taken by what is said of the run.
void require_other_than_stdout(const std::filesystem::path& output);

// Writes the text as a whole or not at all, by write_whole. Throws std::system_error.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace petri::cli

// Files that a subcommand will write: looked at before the work that they are the result of.
#pragma once

#include <filesystem>
#include <string_view>

namespace petri::cli {

// Throws EnvironmentError where `file` cannot be written: it is a folder, or its folder is missing or closed. So that
// hours of shrinking do not end in a message about a wrong path. Writes nothing.
void require_writable(const std::filesystem::path& file);

// Throws UsageError where `output` is the input, by whatever name: the original is kept.
void require_other_than_input(const std::filesystem::path& output, const std::filesystem::path& input);

bool is_stdout(const std::filesystem::path& output);

// Throws UsageError where `output` is standard output, which is taken by what is said of the run.
void require_other_than_stdout(const std::filesystem::path& output);

// Writes the text as a whole or not at all, by write_whole. Throws std::system_error.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace petri::cli

// From the command of a reproducer to what is started.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/trace/reproducer_command.hpp"

namespace petri::cli {

// The program's file, and its arguments with {ranks} and {folder} replaced by the number of ranks and the reproducer's
// folder. A program named with a slash is looked for from that folder; one without, in `program_path` and then in PATH.
// Throws EnvironmentError where it is not found or cannot be run.
std::vector<std::string> resolve_command(const ReproducerCommand& command, const std::filesystem::path& folder,
                                         std::int32_t ranks, const std::vector<std::filesystem::path>& program_path);

}  // namespace petri::cli

// Filing a reproducer: a new folder with the scenario, three lines on what it is, and the command that it guards.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/reproducer_command.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

struct NewReproducer {
  Scenario scenario{1};  // with its `expect`
  Diagnosis diagnosis;   // of it
  std::optional<ReproducerCommand> command;
};

// Makes the folder with all that belongs into it, at once: it is written beside its place under a hidden name and
// renamed. A program that is named with a slash is found from the new folder as it is from the current one. Throws
// UsageError where `folder` is there already, EnvironmentError where it cannot be made; then nothing is left.
void file_reproducer(NewReproducer reproducer, const std::filesystem::path& folder);

// Scenarios at or below `folder` that expect this signature; what cannot be read is passed over.
std::vector<std::filesystem::path> filed_with(const std::string& signature, const std::filesystem::path& folder);

}  // namespace petri::cli

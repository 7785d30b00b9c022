// The forms in which `petri export` writes a scenario: one row each in export_formats.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

struct ExportRequest {
  const Scenario& scenario;
  const Diagnosis& diagnosis;
  std::string source;  // what errors and the result call the scenario
};

enum class ExportOutput : std::uint8_t {
  text,    // to a file or standard output
  binary,  // the same, but never to a terminal
  folder   // only to a folder that is not there yet, or is empty
};

struct ExportFormat {
  std::string_view name;     // of --to
  std::string_view purpose;  // a line of the help: what it is and what it needs
  ExportOutput output = ExportOutput::text;
  // One of these, after `output`. Both throw InputError for what the format cannot express, before anything is written.
  void (*write)(const ExportRequest& request, std::ostream& out) = nullptr;
  void (*write_folder)(const ExportRequest& request, const std::filesystem::path& folder) = nullptr;
};

// In the order of the help.
std::span<const ExportFormat> export_formats();

}  // namespace petri::cli

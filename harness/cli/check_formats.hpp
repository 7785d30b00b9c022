// Reports of `petri check` for build servers: which were asked for, and where they go.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/check.hpp"
#include "harness/report/junit.hpp"

namespace petri::cli {

struct ReportFormat;

struct ReportTarget {
  const ReportFormat* format = nullptr;
  std::string file;     // "-": stdout
  bool append = false;  // a file that others write to as well
};

// The names of all formats, for --help.
std::string report_formats();

// Of --report FORMAT[:FILE] and --junit FILE. Throws UsageError for an unknown format, one that needs a file and has
// none, two that would share a file, or more than one thing on stdout (`json`: it is taken).
std::vector<ReportTarget> report_targets(const CheckOptions& options);

// A report goes to stdout, where then nothing else may go.
bool takes_stdout(const std::vector<ReportTarget>& targets);

// Before the checks: throws EnvironmentError where a report could not be written.
void require_writable(const std::vector<ReportTarget>& targets);

// Throws UsageError where a report would take the place of an input.
void require_other_than(const std::vector<ReportTarget>& targets, const std::vector<std::filesystem::path>& inputs);

// Each file is written beside its place and renamed, so that nobody reads half a report. Throws std::system_error.
// `properties` say what the run was, in the formats that have a place for it.
void write_reports(const std::vector<Check>& checks, const CheckOptions& options, const Properties& properties,
                   const std::vector<ReportTarget>& targets);

}  // namespace petri::cli

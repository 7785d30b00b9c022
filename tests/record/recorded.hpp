// Runs a small MPI program under the recorder and reads what was recorded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::test {

// A folder for one recording, removed at the end.
class RecordFolder {
 public:
  RecordFolder();
  ~RecordFolder();
  RecordFolder(const RecordFolder&) = delete;
  RecordFolder& operator=(const RecordFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Where a test has no programs of operations.cpp's kind.
#ifndef PETRI_OPERATIONS
#define PETRI_OPERATIONS ""
#endif

// The shell command that runs `operations PROGRAM` on so many ranks with the recorder preloaded, `environment` as
// "NAME=value" words. It ends after half a minute at the latest.
std::string command_for(const RecordFolder& folder, int ranks, const std::string& program,
                        const std::string& environment = "", const std::string& executable = PETRI_OPERATIONS);

// Runs it and imports the recording, whatever the program's exit status; once for all tests that ask for the same.
const Scenario& record(int ranks, const char* program, const char* environment = "");

// The same with another executable than `operations`.
Scenario record_program(const std::string& executable, int ranks, const std::string& program,
                        const std::string& environment = "");

// The events of one rank as lines of a scenario file, without rank, time and call site, and without the state where it
// is "completed". The init in front and the finalize at the end are left out.
std::vector<std::string> events_of(Scenario scenario, int rank);

}  // namespace petri::test

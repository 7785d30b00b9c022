// Petri's own recordings: a folder with one file per process, written by libpetri_record.so (trace/record_layout.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

struct RecordingOptions {
  bool call_sites = true;  // resolve return addresses to file:line by debug information (slow on a first use)
};

// Reads the recording in its present state, also while the job runs or after any of its processes was killed. Ranks
// without a file end `missing`; an event in flight has the state `started`. Throws InputError for a folder without a
// readable recording.
Scenario import_recording(const std::filesystem::path& folder, const RecordingOptions& options = {});

}  // namespace petri

// Petri's own recordings: a folder with one file per process, written by libpetri_record.so (trace/record_layout.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

struct RecordingOptions {
  bool call_sites = true;  // resolve return addresses to file:line by debug information (slow on a first use)
  // A process that is gone without a word was killed. False: it is `running`, for who has seen which one went first
  // (those that a launcher ends then are no cause).
  bool gone_were_killed = true;
  std::string job = {};  // only the records of this job; empty: there is one job
};

// One of the jobs that share folders.
struct RecordedJob {
  std::string id;
  std::size_t processes = 0;
  std::int64_t start_ns = 0;  // when the first of its processes began, since the epoch
};

// The jobs that have records there, the latest last.
std::vector<RecordedJob> recorded_jobs(const std::vector<std::filesystem::path>& folders);

// Reads the recording in its present state, also while the job runs or after any of its processes was killed. Ranks
// without a file end `missing`; an event in flight has the state `started`. A process that is gone without having said
// so was killed: `signal`, which is known only where it ran on this system; elsewhere it stays `running`. Throws
// InputError for a folder without a readable recording, and where there are several jobs and none is named.
Scenario import_recording(const std::filesystem::path& folder, const RecordingOptions& options = {});

// The same from several folders, as one of each host.
Scenario import_recording(const std::vector<std::filesystem::path>& folders, const RecordingOptions& options = {});

}  // namespace petri

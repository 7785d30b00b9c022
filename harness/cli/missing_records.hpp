// Ranks whose records did not come here: said in the job's own terms, with the way to get them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::cli {

// Ranks of which there is no record.
std::vector<std::int32_t> ranks_without_record(const Scenario& recorded);

// Where the records went: the folder as the job was told, and where those that came are kept (empty: nowhere).
struct RecordFolders {
  std::filesystem::path told, kept;
};

// Lines for the user; empty where every rank left a record.
std::string explain_missing_records(const Scenario& recorded, const std::vector<std::string>& command,
                                    const RecordFolders& folders);

// Why a launcher's processes may have left no record at all, as the end of a sentence; empty where nothing is known.
std::string why_no_record(const std::vector<std::string>& command);

}  // namespace petri::cli

// Which rank wrote a Flight Recorder dump: only the name of its file says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petri {

struct FlightFile {
  std::string name;  // as messages call it
  std::string leaf;  // its own name, such as "nccl_trace_rank_3", "_dump_3", "gpu-node-07_rank3.pkl"
  // Ranks that all groups of the dump have in common, ascending: one of them wrote it. Empty: no group says its ranks.
  std::vector<std::int32_t> members;
};

// By file, its rank. A number in the names is taken for the rank where it stands at the same place in all of them,
// differs between all, and fits the groups of each dump; the one behind the word "rank" before the last one before
// others. Throws InputError where no number does.
std::vector<std::int32_t> ranks_of_files(const std::vector<FlightFile>& files);

}  // namespace petri

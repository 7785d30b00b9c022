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

struct FlightRanks {
  std::vector<std::int32_t> ranks;  // by file; -1: the file is left out
  std::vector<std::string> doubts;  // what is to be told of the choice
};

// A number in the names is taken for the rank where it stands at the same place in all of them, differs between all,
// and fits the groups of each dump; the one behind the word "rank" before the last one before others. A doubt is where
// another one would do as well. Where one does of more than half of the dumps, the others are left out: their groups
// have no such member. Throws InputError where no number does.
FlightRanks ranks_of_files(const std::vector<FlightFile>& files);

}  // namespace petri

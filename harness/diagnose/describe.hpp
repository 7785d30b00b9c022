// Words for events and ranks, the same in every finding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

// "rank 5", "ranks 0-4,6-15", "ranks 0,2,4,6 and 508 others"; ranks in any order, duplicates once.
std::string ranks_text(std::vector<std::int32_t> ranks);

// "allreduce(4 float32 sum) on dp0 at train.cpp:41": petri::describe with the call site.
std::string event_text(const Scenario& scenario, const Event& event, std::int32_t caller = kUnset);
inline std::string event_text(const Scenario& scenario, EventRef ref) {
  return event_text(scenario, at(scenario, ref), ref.rank);
}

// "step 7, microbatch 2, event 41": where in its rank an event stands, by sequence number.
std::string place_text(const Event& event);

// "1st", "2nd" … from a zero-based position.
std::string ordinal_text(std::int64_t position);

}  // namespace petri::diagnosis

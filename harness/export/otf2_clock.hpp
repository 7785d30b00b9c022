// When each call of a scenario begins and ends in an OTF2 archive, in ticks.
//
// Where every event has a time, those are the beginnings, in nanoseconds since the first of all; elsewhere a logical
// clock counts. Ends follow from causes as far as the record tells them: a receive ends after its message was sent, a
// collective after its last member has begun it. A recorded clock is the rank's own, so there an end never passes the
// next beginning.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

struct CallSpan {
  std::uint64_t enter = 0, leave = 0;  // leave >= enter
  bool reached = false, ended = false;
};

struct CallTimes {
  std::vector<std::vector<CallSpan>> spans;  // by rank and event
  bool recorded = false;                     // beginnings are the scenario's times
  double origin = 0;                         // seconds on its clock at tick 0, where recorded
  std::uint64_t last = 0;                    // the last tick of all
};

// `blocked`: for each rank the event that it cannot leave, as in a diagnosis; nothing follows it in its thread. Nor
// does anything follow a call that ends a thread's record and was seen begun only.
CallTimes call_times(const Scenario& scenario, const std::vector<std::optional<std::uint32_t>>& blocked);

}  // namespace petri

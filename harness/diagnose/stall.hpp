// The deadlock test for a job that is still there: is some rank blocked for ever, whatever the running ranks do next?
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

struct Stall {
  std::vector<std::int32_t> ranks;  // global ranks that nothing can release; empty: no deadlock is proved
  bool by_mismatch = false;         // no deadlock, but ranks stay in a call whose arguments clash, and nobody computes
  bool assumes_polls = false;       // the proof takes a polling loop for a wait ("waits for these only")
  bool may_be_slow = false;         // some rank is in a call to which all have come that it waits for
};

// `snapshot` is a record of positions: each live rank's end is `running`, the event in flight is `started`, and events
// marked `completed` have been left, whatever a strict reading would say of them. Ranks in no call can do anything.
Stall prove_stall(const Scenario& snapshot);

}  // namespace petri

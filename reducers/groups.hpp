// Events that belong together: take one and the others make no sense.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// A partition of a scenario's events, found in one pass without judging whether the scenario is right:
// - the calls at one position of a communicator, window or file, on all its members (matched by position, never by
// name);
// - the k-th send of a rank to another and the receive that it fits, by communicator, tag and order; a wildcard receive
//   only where `matched` says whom it got;
// - a request's maker with its starts and the waits for it alone; a probe with the receive of its message;
// - every other event on its own.
struct Groups {
  std::vector<std::vector<std::uint32_t>> of;  // by rank and index: the event's group
  std::vector<std::vector<EventRef>> members;  // by group; groups in the order of their first event, rank by rank
};

Groups group_events(const Scenario& scenario);

}  // namespace petri::reduce

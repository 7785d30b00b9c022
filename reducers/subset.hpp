// Checking a reduced scenario against the original that was kept.
#pragma once

#include <string>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// Empty when every rank, communicator and event of `reduced` is one of `original`: ranks by the map to original ranks,
// communicators by name with members in the same order (except that one of all the ranks that are left may have become
// the world), events by local sequence number with the same operation on the same communicator, in the same order.
// Otherwise a sentence that says what does not come from there. Peers may differ (ranks of one role stand in for each
// other), and counts may be smaller.
std::string not_from_original(const Scenario& original, const Scenario& reduced);

inline bool is_subset_of(const Scenario& original, const Scenario& reduced) {
  return not_from_original(original, reduced).empty();
}

}  // namespace petri::reduce

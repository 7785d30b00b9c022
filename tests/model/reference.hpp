// A judge that shares nothing with the model: every interleaving of a tiny schedule, one step at a time.
//
// Steps: a rank begins its next call; one pair of messages matches; a rank leaves a call that is done. Matching follows
// the two sentences of MPI 4.1, section 3.5 literally. Sends wait for their receive, or return at once where they
// are buffered; collectives wait for all members. Exponential: for a few ranks with a few events each.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::test {

// The sets of ranks that are left blocked at the end of some interleaving; the empty set stands for one that completes.
std::set<std::vector<std::int32_t>> all_endings(const Scenario& scenario, bool buffered = false);

}  // namespace petri::test

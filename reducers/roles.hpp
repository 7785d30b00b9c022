// Which ranks play the same role.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// A role for each rank: equal numbers mean equal behaviour, names of ranks and communicators aside. Refinement in
// rounds (colour refinement, as for graph isomorphism) over hashes of sequences in which loops are folded (loops.hpp),
// so that equal ranks are found without comparing pairs: round 0 compares what a rank calls; each further round also
// the roles, one round before, of its peers, of the roots it names and of the members of its communicators (as a set:
// how many play a role does not matter). Few rounds merge the middle of a pipeline; more tell its stages apart. The
// result has two partitions for each of `rounds` + 1 rounds, coarse to fine: how often a loop runs does not matter, so
// that a worker with fewer tasks is a worker; then it does. Counts of elements and call sites are left out, so that
// uneven data do not hide a role.
std::vector<std::vector<std::uint32_t>> find_roles(const Scenario& scenario, int rounds);

}  // namespace petri::reduce

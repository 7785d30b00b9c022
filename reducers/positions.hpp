// Where a rank's calls have their places on communicators, windows and files, once some of its events are gone.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// `to` holds copies of those events of `from` that `source` lists, ascending. Their `coll_seq` is lowered by the calls
// that went before them. On a communicator of which `from` says how much was joined before its first event, calls that
// go from the front count as joined: the rank took part in them all the same.
void keep_positions(const RankTrace& from, const std::vector<std::uint32_t>& source, RankTrace& to);

// Positions that all members joined before their records begin go from the count, and where all begin at one place
// nothing is said of it any more. A rank of which nothing is said then has a record as good as whole: `dropped` goes,
// too.
void settle_joined(Scenario& scenario);

}  // namespace petri::reduce

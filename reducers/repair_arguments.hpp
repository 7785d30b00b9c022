// Arguments of calls that name ranks, after some ranks left: renumbered, handed to an heir, or gone.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "reducers/renumbering.hpp"
#include "reducers/repair.hpp"

namespace petri::reduce {

// What a cut has made of ranks and communicators.
struct CutGroups {
  const Scenario& base;
  const std::vector<std::int32_t>& new_rank;  // by old global rank; kGone for one that left
  const std::vector<GroupMap>& groups;        // by communicator
  const StandIn& stand_in;                    // may be empty
};

// Puts the arguments of an event of the old global rank `rank` right; false when the event has to go after all. The
// event still names communicators by their old index.
bool repair_arguments(Event& event, std::int32_t rank, const CutGroups& cut);

}  // namespace petri::reduce

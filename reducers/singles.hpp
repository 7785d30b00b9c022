// What the claim "1-minimal" speaks of.
#pragma once

#include <vector>

#include "reducers/pass.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {

// The removal of each single rank, event and communicator, in this order by rank. What cannot stand without it goes
// along (repair.hpp); a persistent request that loses its last start is tried both ways, gone and left idle.
std::vector<Proposal> single_removals(const ScenarioPtr& base);

}  // namespace petri::reduce

// The two ways in which passes walk through their opportunities.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "reducers/pass.hpp"
#include "reducers/repair.hpp"

namespace petri::reduce {

// What is taken away together.
struct Unit {
  std::vector<std::int32_t> ranks, comms;
  std::vector<EventRef> events;
};

// Delta debugging by complements: takes away all units, then halves, quarters … down to single ones; what was accepted
// stays away. Units speak of `base` throughout, so nothing has to be renumbered on the way. About 2 n candidates where
// all units are needed, of the order of k log n where k are. (Zeller and Hildebrandt 2002, without the subset step:
// a chunk of half the units is both.)
std::unique_ptr<Search> remove_units(ScenarioPtr base, std::vector<Unit> units, const PassContext& context);

// Candidates from a list, tried in order. After an acceptance the list is made anew from what was accepted.
using Proposal = std::function<std::optional<Scenario>()>;
using ProposalList = std::function<std::vector<Proposal>(const ScenarioPtr&)>;
std::unique_ptr<Search> try_in_order(const ScenarioPtr& base, ProposalList list);

}  // namespace petri::reduce

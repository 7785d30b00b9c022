// What a replay must work out of the topologies of a scenario. Free of MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// True for the operations that make a communicator with a topology.
bool makes_topology(Op op);

// The communicators that have one: made by such an operation, or duplicated from one that was.
std::set<std::int32_t> communicators_with_topology(const Scenario& scenario);

// The most neighbours that any rank has on one side.
std::size_t highest_degree(const Scenario& scenario);

// Which dimensions of the parent's grid a cart_sub keeps, from the places of the new communicator's members in it;
// where a dimension of one place could be kept or not, as many as the new grid's `dims` says. Nothing where that is not
// a part of the parent's grid.
std::optional<std::vector<int>> kept_dimensions(const Scenario& scenario, const Event& cart_sub);

// Why the event, which makes a topology, cannot be replayed, or nothing.
std::optional<std::string> reason_against_topology(const Scenario& scenario, const Event& event);

}  // namespace petri

// The failure with the accidental removed: equal texts mean the same failure at any world size (README, "Signature").
//
// Roles are named A, B, … and communicators 0, 1, … in an order that depends on structure alone. Ranks that wait alike
// are one role; distinct communicators stay distinct.
#pragma once

#include <string>

#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// "A(allreduce@0 meets B) B(barrier@0 meets A)": the canonical form of one component.
std::string canonical_form(const WaitGraph& graph, const Component& component);

}  // namespace petri::diagnosis

// Who of a cycle deviates, where nothing but the numbers of ranks in each place tells.
#pragma once

#include <optional>

#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// That they are named by numbers is always said. Nothing where the cycle has a wait for a message, which the many may
// have left out, or no majority.
std::optional<Testimony> minority_of(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                     const Component& component, const Precedents& precedents);

}  // namespace petri::diagnosis

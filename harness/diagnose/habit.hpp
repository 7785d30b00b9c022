// A call that always follows another, and once does not: how a lost answer shows itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

struct BrokenHabit {
  EventRef before;    // the call after which the usual one is missing
  EventRef instead;   // what came instead
  std::string usual;  // what follows everywhere else, in words
};

// Looks through the history of `ranks` for the one pair of successive calls that occurs once only, after a call which
// elsewhere is always followed by another. It counts where the missing call is what a node of the component waits for,
// was made before in such a place, is no loop's that ends there, and could not have been missed at an earlier meeting
// of both ranks. Nothing when there is no such pair or more than one rank has one: the history then names nobody.
std::optional<BrokenHabit> broken_habit(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                        const Component& component, const std::vector<std::int32_t>& ranks);

}  // namespace petri::diagnosis

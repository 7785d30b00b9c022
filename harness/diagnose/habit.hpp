// A call that always follows another, and once does not: how a lost answer or a collective left out shows itself.
#pragma once

#include <optional>
#include <vector>

#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// Looks through the history of `ranks` for the one pair of successive calls that occurs once only, after a call which
// elsewhere is always followed by another. It counts where the missing call is what a node of the component waits for,
// was made before in such a place, is no loop's that ends there, and could not have been missed at an earlier meeting
// of both ranks. Nothing when there is no such pair or more than one rank has one: the history then names nobody.
std::optional<Testimony> broken_habit(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                      const Component& component, const std::vector<std::int32_t>& ranks);

// The same for the one collective of the component to which some came and others not, where one side did what has no
// precedent after such a call: it left the collective out, or should not be there.
std::optional<Testimony> broken_habit_at_a_collective(const Scenario& scenario, const model::Run& run,
                                                      const WaitGraph& graph, const Component& component,
                                                      const Precedents& precedents);

// The calls of those that came to a collective, and what the others, for whom `link` waits, did instead after a like
// call; nothing where that is not to be seen.
struct Parting {
  std::vector<EventRef> came, instead;
};
std::optional<Parting> parting_at(const model::Run& run, const Link& link, const Precedents& precedents);

}  // namespace petri::diagnosis

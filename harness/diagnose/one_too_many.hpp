// Messages by their number: who makes one more of them than those that do just the same?
#pragma once

#include <optional>

#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// Of a wait for messages with ranks that are past all calls:
// - a receive of any message, after as many messages of each of the ranks that could still send: one receive too many
//   is likelier than one message too few of nobody in particular;
// - a send or receive of a rank which has exchanged as many with each of several others, all past all calls;
// - the same where others, past all calls, did just what this rank had done until then with the one it waits for.
std::optional<Testimony> explain_one_too_many(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                              const Node& node, const Component& component);

// Of a cycle in which a rank waits to send to one that takes messages of any source and gives none: the one that sent
// one more than all others, who sent as many as each other, and so took the place of the one that waits.
std::optional<Testimony> explain_taken_place(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                             const Component& component);

}  // namespace petri::diagnosis

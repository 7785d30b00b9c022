// Why a wait for a message is never satisfied, where the record shows more than that nobody came: a message that was
// sent all the same, with another tag, to another rank, or taken by an earlier wildcard.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// Explains why nothing answers what `rank` waits for by `link`, a wait for a message or for a receive; nothing where
// the record shows only that the call which should answer is missing.
std::optional<Testimony> explain_unanswered(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                            std::int32_t rank, const Link& link);

// Two ranks of which one waits to send to the other, and that for a message with another tag or communicator; or a
// cycle of which all waits for messages are explained by one rank, that sent where nobody receives from it and receives
// where nobody sends to it: it took the wrong neighbours. `component` is the kernel of `closed`.
std::optional<Testimony> explain_cycle(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                       const Component& component, const Component& closed);

// The first collective in which the ranks that are waited for took part, and left it early, as a broadcast's root may,
// while the one that waits for them never came.
std::optional<std::uint32_t> gathering_left_alone(const model::Run& run, const WaitGraph& graph,
                                                  const Component& component);

}  // namespace petri::diagnosis

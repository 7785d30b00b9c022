// Waits on a window that somebody else's call leaves unanswered: who frees a window begins no epoch on it any more, and
// ends none; who keeps a lock must not wait for those that need it.
#pragma once

#include <optional>

#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// A rank of the component that is in win_free of the very window on which another one waits for its post, its start and
// complete, or its unlock; or one that keeps a lock from others while it waits for them. Nothing where there is none.
std::optional<Testimony> explain_window(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                        const Component& component);

}  // namespace petri::diagnosis

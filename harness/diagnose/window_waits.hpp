// Waits on a window that its own end leaves unanswered: who frees a window begins no epoch on it any more, and ends
// none.
#pragma once

#include <optional>

#include "harness/diagnose/unanswered.hpp"

namespace petri::diagnosis {

// A rank of the component that is in win_free of the very window on which another one waits for its post, its start and
// complete, or its unlock. Nothing where there is none.
std::optional<Unanswered> explain_window(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                         const Component& component);

}  // namespace petri::diagnosis

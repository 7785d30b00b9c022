// Who of a cycle deviates, where nothing but the numbers of ranks in each place tells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

struct Minority {
  std::vector<std::int32_t> ranks;  // ascending
  std::string reason;               // that they are named by numbers is always said
};

// Nothing where the cycle has a wait for a message, which the many may have left out, or no majority.
std::optional<Minority> minority_of(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                    const Component& component, const Precedents& precedents);

}  // namespace petri::diagnosis

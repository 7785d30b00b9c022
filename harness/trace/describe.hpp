// An event in words, the same in findings, reports and messages.
#pragma once

#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

// "allreduce(4096 float32 sum) on dp0", "recv from any, tag 7": what is recorded of it but its place. Peers and roots
// of a known communicator are given as global ranks; on an intercommunicator that takes the rank that calls. Names are
// as the scenario has them: not yet safe for a terminal.
std::string describe(const Scenario& scenario, const Event& event, std::int32_t caller = kUnset);

}  // namespace petri

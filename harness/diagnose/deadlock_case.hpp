// One component of a deadlock with all that is known around it, and what is told of each kind. Internal to
// harness/diagnose.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

struct DeadlockCase {
  const Scenario& scenario;
  const model::Run& run;
  const WaitGraph& graph;
  const Precedents& precedents;
  const Component& component;  // the kernel of …
  const Component& closed;
};

// All ranks that wait in it.
std::vector<std::int32_t> ranks_waiting(const DeadlockCase& deadlock);
// Communicators over which somebody in it waits for somebody in it.
std::set<std::int32_t> comms_of(const DeadlockCase& deadlock);
// Whom the finding names or somebody in the component waits for, and where these are past all calls who waits. In a
// cycle those are all who can have begun it: of ranks that wait alike, some may be waited for by nobody.
std::vector<std::int32_t> suspects_of(const DeadlockCase& deadlock, const Finding& finding);

// Members of one communicator that do different things at one position.
Finding tell_of_gathering(const DeadlockCase& deadlock, std::uint32_t gathering);
// A wait for what a rank that is past all calls will never do.
Finding tell_of_finished_peer(const DeadlockCase& deadlock);
// Ranks that wait for each other in different places, or one rank that waits for itself.
Finding tell_of_cycle(const DeadlockCase& deadlock);

}  // namespace petri::diagnosis

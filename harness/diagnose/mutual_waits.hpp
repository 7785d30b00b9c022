// Who waits for whom in one deadlock, to find it again in another run of the same scenario.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

struct MutualWaits {
  std::vector<std::int32_t> waiting, waited_for;  // global ranks, ascending; in a cycle the same
  bool on_streams = false, on_windows = false;    // waits for kernels, or for locks and epochs, are in it
};

MutualWaits mutual_waits(const WaitGraph& graph, const Component& component);

// Is one of those that wait there stuck in the run of `graph` as well, waiting for one of the same ranks? It may stand
// elsewhere: where a send is buffered or a collective left early, a rank runs into the next call that waits for the
// same peer.
bool holds_in(const WaitGraph& graph, const MutualWaits& waits);

}  // namespace petri::diagnosis

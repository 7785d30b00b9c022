// The part of a cyclic component that is a deadlock by itself.
//
// A rank whose waits must all be satisfied is stuck as soon as one of them cannot be: so one cycle of waits without
// alternatives holds for ever, whatever else waits along with it. The shortest such cycle is the failure; ranks beside
// it are blocked because it is there. How many those are, and in how many places they stand, grows with the job's size.
#pragma once

#include "harness/diagnose/wait_graph.hpp"

namespace petri::diagnosis {

// Of a cyclic component: all sides of one gathering where different operations meet; otherwise a shortest cycle of
// waits without alternatives; where every cycle has a wait with alternatives, the component itself. Of several the one
// with the least canonical form (of the first 1000 shortest cycles in the order of nodes).
Component kernel_of(const WaitGraph& graph, const Component& component);

}  // namespace petri::diagnosis

// What ranks without a record are taken to have done.
#pragma once

#include "harness/trace/scenario.hpp"

namespace petri {

// States in `joined` of each missing rank's end that it made the collectives that all others made, as these went on;
// or, where none of them is behind another, all but the last one: then it is the one that may not have come. But all
// from which a recorded rank went on, where they synchronize, as nobody leaves them before all have come. And that it
// made the other side of each message from which a recorded rank went on: the message, or the wait for it, is marked
// completed. In a message that is not over, its partner waits.
//
// For traces that begin with the job, or say in `joined` where they do. To be called once the ends of all ranks are
// known.
void join_unrecorded(Scenario& scenario);

}  // namespace petri

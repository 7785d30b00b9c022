// Which blocked lanes can still be released: the least fixed point over AND and OR waits.
#pragma once

#include "harness/model/run.hpp"

namespace petri::model {

// Fills in run.stuck and run.stuck_lanes: what nothing can release. Running and unknown lanes are taken to be able to
// supply whatever others need from their rank; finished and dead ones supply nothing.
void find_stuck(Run& run);

}  // namespace petri::model

// Who a rank's neighbours are in the topology of a communicator, MPI 4.1 chapter 8.
#pragma once

#include "harness/record/comms.hpp"

namespace petri::record {

// Asks for the neighbours of a communicator that has a topology: counts them in the entry and writes their fact.
void learn_topology(CommEntry& entry);

}  // namespace petri::record

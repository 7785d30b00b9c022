// A scenario as one self-contained Python script on torch.distributed that fails in the same way.
#pragma once

#include <string>

#include "harness/export/program_options.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// The script starts its ranks itself, or is one under torchrun; with Gloo, or with NCCL where each rank has a GPU. It
// tells in which call each rank stands when its time is over, and ends with petri's statuses: 0 all ranks came to the
// end, 10 they hang, 14 a rank failed, 3 something that it needs is missing.
//
// Throws InputError for an operation or argument that torch.distributed (its documentation, and
// torch/distributed/distributed_c10d.py) cannot express; nothing is left out in silence. Ranks that make the same calls
// share a function. All groups are made at the start, by all ranks in one order, as new_group demands; a barrier stands
// where the record makes one. What was not recorded is chosen and said in a comment: one element for an unknown count,
// float32 for an unknown type, a sum, root 0. Streams are the device's with NCCL, and threads with Gloo. A rank whose
// record stops while it ran stays where it is; none leaves before all have come to the end, as in MPI_Finalize. Text of
// the scenario reaches comments and names only.
std::string pytorch_program(const Scenario& scenario, const ProgramOptions& options = {});

}  // namespace petri

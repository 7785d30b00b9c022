// A scenario as one self-contained C++17 program on CUDA and NCCL that fails in the same way.
#pragma once

#include <string>

#include "harness/export/program_options.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// One process and one device for each rank, as NCCL demands (NCCL's user guide, "Using multiple NCCL communicators
// concurrently" and ncclCommInitRank). The program starts its processes itself on one host, or is one under a launcher
// that numbers them, with a shared folder in which they exchange ncclUniqueIds. It tells in which call each rank stands
// when its time is over, looks for asynchronous errors while it waits, and ends with petri's statuses: 0 all ranks came
// to the end, 10 they hang, 14 a rank failed, 3 something that it needs is missing.
//
// Throws InputError for what is not NCCL's: calls and communicators of MPI or of other backends, several threads, types
// and operations that NCCL has not; nothing is left out in silence. What was not recorded is chosen and said in a
// comment: one element for an unknown count, float for an unknown type, a sum, root 0. A call without a stream is
// waited for, as is a group of such calls; barrier, gather, scatter and alltoall are made of NCCL's own calls. Ranks
// that make the same calls share a function. A rank whose record stops while it ran stays where it is. Text of the
// scenario reaches comments and names only.
std::string nccl_program(const Scenario& scenario, const ProgramOptions& options = {});

}  // namespace petri

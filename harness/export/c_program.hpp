// A scenario as one self-contained C99 program that needs nothing but MPI (and POSIX threads, where a rank has several)
// and fails in the same way.
#pragma once

#include <string>

#include "harness/export/program_options.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Throws InputError for an operation or argument that such a program cannot express; nothing is left out in silence.
// What a program of MPI calls has no place for is refused: NCCL's calls, work of devices, processes that start later.
// Ranks that make the same calls share a function. What was not recorded is chosen and said in a comment: one element
// for an unknown count, bytes for an unknown type, rank 0 for an unknown root. Records that lack their beginnings begin
// together, where the latest of them does: what others have before that is left out. A rank that ended without finalize
// ends so here: by exit, abort or signal; one whose record stops while it ran stays where it is. Files lie in the
// current folder, never where the record says, and are deleted when they are closed. Threads wait for each other only
// where one needs what another made: nothing else of their order is recorded. Text of the scenario reaches comments and
// names only, and no character that could end one.
std::string c_program(const Scenario& scenario, const ProgramOptions& options = {});

}  // namespace petri

// MPI's predefined handles, looked up when the process calls MPI_Init.
//
// In Open MPI they are addresses of variables in libmpi. Were they named here, the loader would have to find libmpi for
// every process that the recorder is preloaded into, `mpirun` and `sh` included. So nothing here may use the macros
// MPI_COMM_WORLD, MPI_INT, … : a test checks that the library needs no variable of libmpi.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/trace/record_layout.hpp"

namespace petri::record {

struct Handles {
  MPI_Comm world, self, no_comm;
  MPI_Request no_request;
  MPI_Request empty_request;  // Open MPI hands this one out for every operation that completed at once
  MPI_Datatype no_type, byte, packed;
};

extern Handles handles;

// Finds the handles. False where there is no libmpi that is known.
bool find_handles();

// Calls `visit` for each predefined type, respectively operation, that this MPI has.
void visit_predefined_types(void (*visit)(MPI_Datatype handle, ElementType type));
void visit_predefined_ops(void (*visit)(MPI_Op handle, ReduceOp op));

}  // namespace petri::record

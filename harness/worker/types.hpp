// Petri's element types and operations as MPI's.
#pragma once

#include <mpi.h>

#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri {

// The MPI type whose type signature stands for `type`. Types that MPI does not know (float16, …) travel as unsigned
// integers of their size: matching and blocking are the same, sums of them mean nothing.
MPI_Datatype mpi_type(ElementType type);

// The MPI operation; for one that is not known, one that MPI allows on `type`.
MPI_Op mpi_op(ReduceOp op, ElementType type);

}  // namespace petri

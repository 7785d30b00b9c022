// A reduction by the MPI library itself, called as an Invocation says. Which component and algorithm the library takes
// is not decided by the call, but by its parameters (kernels/order/openmpi_parameters.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/order/openmpi.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::mpi {

// What a rank has of a result: all of it after an allreduce and at the root of a reduce, a block after a
// reduce_scatter, none at the others.
struct Piece {
  std::uint64_t first = 0, count = 0;
  std::vector<std::byte> bytes;
};

// Collective. `own` is what this rank contributes, elements of `type`. sum, prod, min or max of float32, float64, int32
// or int64 by MPI's operations, which commute whatever `how` says; of float16 and bfloat16, which MPI does not have, by
// operations of ours.
Piece reduced_by_library(const order::openmpi::Invocation& how, ElementType type, ReduceOp op,
                         std::vector<std::byte> own, MPI_Comm comm);

}  // namespace petri::mpi

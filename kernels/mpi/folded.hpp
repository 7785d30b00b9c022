// Folding over MPI: an order of many logical ranks, computed by the processes of a communicator.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/order/folded_evaluate.hpp"
#include "kernels/order/order.hpp"

namespace petri::mpi {

// order::evaluate_folded on the ranks of an intracommunicator, collectively; the result is consumed on its rank 0.
// Throws MpiError where MPI fails and the communicator's error handler returns.
void evaluate_folded(const order::Order& order, const kernels::Arithmetic& arithmetic, MPI_Comm comm,
                     const order::Contribution& contribution, const order::Consumer& consume, std::int32_t view = 0);

}  // namespace petri::mpi

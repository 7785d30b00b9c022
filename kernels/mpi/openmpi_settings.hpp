// What the running Open MPI says of itself. MPI is initialized, and so is its tool interface (MPI_T_init_thread).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/order/openmpi.hpp"

namespace petri::mpi {

// The series, e.g. "4.1", or nothing for another library.
std::optional<std::string> library_series();

// The component and algorithm in force for a collective, as the library's parameters have them.
order::openmpi::Invocation invocation_in_force(order::openmpi::Collective collective);

// Parameter op_avx_support; 0 where the library has no such component.
std::uint32_t vector_support();

}  // namespace petri::mpi

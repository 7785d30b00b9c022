// real_mpi.hpp for the calls of MPI 4.0. Only for files that are built where the MPI library has them.
#pragma once

#include "harness/record/real_mpi.hpp"

namespace petri::record::real {

#define PETRI_REAL(name) extern decltype(&::MPI_##name) name;
#include "harness/record/real_mpi4.inc"
#undef PETRI_REAL

}  // namespace petri::record::real

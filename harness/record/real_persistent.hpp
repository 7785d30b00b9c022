// real_mpi.hpp for the calls that make persistent collectives. Only for files that are built where the MPI library has
// them; the build says under which names (PETRI_PERSISTENT_NAMES).
#pragma once

#include "harness/record/real_mpi.hpp"
#include PETRI_PERSISTENT_NAMES

namespace petri::record::real {

#define PETRI_REAL(name) extern decltype(&::PETRI_PERSISTENT_NAME(name)) name;
#include "harness/record/real_persistent.inc"
#undef PETRI_REAL

}  // namespace petri::record::real

#define PETRI_PERSISTENT(name) PETRI_MPI_NAMED(PETRI_PERSISTENT_NAME(name))

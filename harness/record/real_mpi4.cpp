#include "harness/record/real_mpi4.hpp"

namespace petri::record::real {

#define PETRI_REAL(name) PETRI_DEFINE_REAL(name)
#include "harness/record/real_mpi4.inc"
#undef PETRI_REAL

}  // namespace petri::record::real

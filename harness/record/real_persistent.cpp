#include "harness/record/real_persistent.hpp"

namespace petri::record::real {

#define PETRI_REAL(name) PETRI_DEFINE_REAL_NAMED(name, PETRI_PERSISTENT_NAME(name))
#include "harness/record/real_persistent.inc"
#undef PETRI_REAL

}  // namespace petri::record::real

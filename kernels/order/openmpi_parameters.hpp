// The parameters (MCA) of Open MPI that make it reduce as an Invocation says.
#pragma once

#include <map>
#include <string>

#include "kernels/order/openmpi.hpp"

namespace petri::order::openmpi {

// Values by name; none where the library chooses for itself. What a program's call decides (root, in place, counts,
// whether the operation commutes) is not among them.
using Parameters = std::map<std::string, std::string>;
Parameters parameters_of(const Invocation& how);

}  // namespace petri::order::openmpi

// Open MPI's orders in the catalogue.
//
//   openmpi-VERSION/COLLECTIVE[:ALGORITHM][+OPTION…]
//
// e.g. "openmpi-4.1/allreduce", the usual choice; "openmpi-4.1/reduce:5+root=3+in-place". Options: root=RANK,
// segment=BYTES, fanout=CHAINS, in-place, in-order (the operation does not commute), and the component sm, han or
// adapt.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/order/catalogue.hpp"
#include "kernels/order/openmpi.hpp"

namespace petri::order::openmpi {

// What stands behind the slash; nothing where it is not of that form.
std::optional<Invocation> invocation_named(std::string_view what);

// In the library's own operations on a processor with AVX; for float16 and bfloat16, which the library does not have,
// in an operation of Petri's.
std::optional<Reduction> reduction(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op);
NameProblem problem(std::string_view version, std::string_view what, const Shape& shape, ReduceOp op);
std::span<const CatalogueLine> lines();

}  // namespace petri::order::openmpi

// What the components of Open MPI 4.1 do, one function each; openmpi.cpp chooses between them.
#pragma once

#include <string>

#include "kernels/order/openmpi.hpp"

namespace petri::order::openmpi {

// coll/tuned. An invocation's algorithm is in range; 0 takes the usual one.
Order tuned_allreduce(std::string name, const Invocation& how, const Shape& shape);
Order tuned_reduce(std::string name, const Invocation& how, const Shape& shape);
Order tuned_reduce_scatter(std::string name, const Invocation& how, const Shape& shape);
Order tuned_reduce_scatter_block(std::string name, const Invocation& how, const Shape& shape);

// coll/libnbc.
Order libnbc_iallreduce(std::string name, const Invocation& how, const Shape& shape);
Order libnbc_ireduce(std::string name, const Invocation& how, const Shape& shape);

// coll/sm: to any root, in fragments of shared memory.
Order sm_reduce(std::string name, const Shape& shape);

// coll/adapt.
Order adapt_reduce(std::string name, const Invocation& how, const Shape& shape);

// coll/han: within each host, then between them. Nothing where the library itself fails: in place over more than one
// segment.
std::optional<Order> han_allreduce(std::string name, const Invocation& how, const Shape& shape);
std::optional<Order> han_reduce(std::string name, const Invocation& how, const Shape& shape);

}  // namespace petri::order::openmpi

// What the recorder knows of MPI types and operations.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/trace/record_layout.hpp"

namespace petri::record {

// One element of an MPI type, flattened: `per_element` elements of `basic`. A type that mixes basic types is `unknown`
// with per_element 1.
struct FlatType {
  ElementType basic;
  bool contiguous;  // n elements are n * bytes adjacent bytes
  std::int32_t per_element;
  std::int64_t bytes;  // of one element
};

void learn_predefined();

// The type that was asked for last; most programs use one for long.
extern MPI_Datatype last_type;
extern FlatType last_flat;
const FlatType& find_flat(MPI_Datatype type);

// Flattens on first use and remembers. Never fails: what cannot be looked into is unknown. Valid until the next call.
inline const FlatType& flatten(MPI_Datatype type) {
  return type == last_type ? last_flat : find_flat(type);
}

// To be called before MPI_Type_free: the handle may come back for another type.
void forget_type(MPI_Datatype type);

// `user` for whatever is not predefined.
ReduceOp reduce_op_of(MPI_Op op);

}  // namespace petri::record

// Which operations a live replay can perform, and why not the others. Free of MPI.
#pragma once

#include <string_view>

#include "harness/trace/op.hpp"

namespace petri {

// Why the worker has no way to perform the operation; empty where it has one. Host events (`compute`, `checkpoint`, …)
// are performed: they are no calls, and only `sleep` and `compute` take time.
std::string_view reason_against(Op op);
inline bool can_perform(Op op) {
  return reason_against(op).empty();
}

// True where the worker can perform it, but the MPI library that this petri was built with has no such call.
bool library_lacks(Op op);

}  // namespace petri

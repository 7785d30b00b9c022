// The small programs that operations_test.cpp records.
#pragma once

#include <span>

namespace petri::test {

struct Program {
  const char* name;
  void (*run)();  // between init and finalize
};

// Those with calls that are new in MPI 4.0; none where the MPI library lacks them.
std::span<const Program> mpi4_programs();

}  // namespace petri::test

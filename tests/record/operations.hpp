// The small programs that the tests record: `operations NAME` runs one, between init and finalize.
#pragma once

#include <mpi.h>

#include <span>

namespace petri::test {

struct Program {
  const char* name;
  void (*run)();
};

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// A job that is meant to hang ends by itself after a second.
void end_soon();

// Makes the programs of a file known to the main function. Which files there are depends on the MPI library.
struct Programs {
  explicit Programs(std::span<const Program> programs);
};

}  // namespace petri::test

#include <mpi.h>

#include <cstdlib>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

void mpi4_calls() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  double mine = rank, theirs = 0;
  MPI_Request requests[2];
  MPI_Isendrecv(&mine, 1, MPI_DOUBLE, other, 3, &theirs, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                &requests[0]);
  int both = rank;
  MPI_Isendrecv_replace(&both, 1, MPI_INT, other, 4, other, 4, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (static_cast<int>(theirs) != other || both != other) std::abort();
  MPI_Comm dup;
  MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &dup, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Barrier(dup);
  MPI_Comm_free(&dup);
}

constexpr Program kPrograms[] = {{"mpi4_calls", mpi4_calls}};

}  // namespace

std::span<const Program> mpi4_programs() {
  return kPrograms;
}

}  // namespace petri::test

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

// Rank 0 sends four partitions of two elements each, in every way to say that one is ready.
void partitioned_messages() {
  int rank = 0, flag = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int data[8] = {}, list[1] = {3};
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(data, 4, 2, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data, 4, 2, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  if (rank == 0) {
    MPI_Pready(0, request);
    MPI_Pready_range(1, 2, request);
    MPI_Pready_list(1, list, request);
  } else {
    while (flag == 0) MPI_Parrived(request, 2, &flag);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

void from_groups() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, mine, theirs;
  const int other = 1 - rank;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &rank, &mine);
  MPI_Group_incl(world, 1, &other, &theirs);
  MPI_Comm both, inter;
  MPI_Comm_create_from_group(world, "petri.test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &both);
  MPI_Barrier(both);
  MPI_Intercomm_create_from_groups(mine, 0, theirs, 0, "petri.inter", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
  MPI_Barrier(inter);
}

// A session beside the world of MPI_Init, as a library makes one for itself.
void session_beside_world() {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group all;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm comm;
  MPI_Comm_create_from_group(all, "petri.session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Barrier(comm);
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

constexpr Program kPrograms[] = {
    {"mpi4_calls", mpi4_calls},
    {"partitioned_messages", partitioned_messages},
    {"from_groups", from_groups},
    {"session_beside_world", session_beside_world},
};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test

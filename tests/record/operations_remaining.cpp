// A program with the forms of calls that no other program has.
#include <mpi.h>

#include <vector>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

void ready_and_buffered() {
  const int rank = world_rank();
  int data[8] = {}, flag = 0, index = 0, done = 0, indices[2];
  std::vector<char> room(8192);
  MPI_Request r[8];
  MPI_Buffer_attach(room.data(), 8192);
  if (rank == 1)
    for (int i = 0; i < 6; ++i) MPI_Irecv(&data[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]);
  MPI_Barrier(MPI_COMM_WORLD);  // ready sends need their receives to be there
  if (rank == 0) {
    MPI_Rsend(data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Ibsend(data, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Irsend(data, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Issend(data, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &r[3]);
    MPI_Bsend_init(data, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &r[4]);
    MPI_Rsend_init(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &r[5]);
    MPI_Startall(2, &r[4]);
    while (flag == 0) MPI_Testall(5, &r[1], &flag, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[4]);
    MPI_Request_free(&r[5]);
  } else {
    while (flag == 0) MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
    while (done == 0) MPI_Testsome(2, &r[2], &done, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(6, r, MPI_STATUSES_IGNORE);
  }
  if (rank == 0) MPI_Issend(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &r[0]);
  if (rank == 1) MPI_Recv(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (flag = 0; rank == 0 && flag == 0;) MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Message message;
  if (rank == 0) MPI_Send(data, 1, MPI_INT, 1, 9, MPI_COMM_WORLD);
  for (flag = 0; rank == 1 && flag == 0;) MPI_Improbe(0, 9, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Mrecv(data, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Comm with_info, node;
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &with_info);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
}

constexpr Program kPrograms[] = {{"ready_and_buffered", ready_and_buffered}};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test

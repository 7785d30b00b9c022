// Nonblocking collectives: as blocking ones they match by their order, and each of them has to be completed.
#include <unistd.h>

#include <array>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;
MPI_Status* const no_statuses = MPI_STATUSES_IGNORE;

}  // namespace

// A blocking barrier does not match a nonblocking one.
TWIN(blocking_meets_nonblocking, 3, argument, deadlock, "1") {
  MPI_Request request = MPI_REQUEST_NULL;
  if (wrong && rank == 1)
    MPI_Barrier(world);  // fault
  else
    MPI_Ibarrier(world, &request);
  MPI_Wait(&request, no_status);
}

// One rank does not complete its broadcast.
TWIN(never_completed, 3, completion, misuse, "2") {
  int number = 0;
  MPI_Request request;
  MPI_Ibcast(&number, 1, MPI_INT, 0, world, &request);  // fault
  if (!wrong || rank != 2) MPI_Wait(&request, no_status);
}

// A barrier's request is freed instead of completed.
TWIN(freed_instead, 2, completion, misuse, "0,1") {
  MPI_Request request;
  MPI_Ibarrier(world, &request);  // fault
  if (wrong)
    MPI_Request_free(&request);  // fault
  else
    MPI_Wait(&request, no_status);
}

// Two of them in another order on one rank.
TWIN(order_swapped, 3, order, deadlock, "0") {
  int mine = rank, sum = 0, number = 0;
  std::array<MPI_Request, 2> requests;
  const bool swapped = wrong && rank == 0;
  for (int turn = 0; turn < 2; ++turn) {
    if ((turn == 0) != swapped)
      MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world, &requests[0]);  // fault
    else
      MPI_Ibcast(&number, 1, MPI_INT, 1, world, &requests[1]);  // fault
  }
  MPI_Waitall(2, requests.data(), no_statuses);
}

// One rank does not start the collective.
TWIN(left_out, 3, missing, deadlock, "1") {
  int mine = rank, sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (!wrong || rank != 1) MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world, &request);  // fault
  MPI_Wait(&request, no_status);
}

// One rank starts it twice.
TWIN(started_twice, 3, extra, deadlock, "1") {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const int starts = wrong && rank == 1 ? 2 : 1;
  for (int i = 0; i < starts; ++i) MPI_Ibarrier(world, &requests[i]);  // fault
  MPI_Waitall(2, requests.data(), no_statuses);
}

// One rank waits for the barrier before it sends what another one needs to reach it.
TWIN(waits_before_send, 2, order, deadlock, "0,1") {
  int number = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Ibarrier(world, &request);
    if (wrong) MPI_Wait(&request, no_status);  // fault
    MPI_Send(&number, 1, MPI_INT, 1, 0, world);
    if (!wrong) MPI_Wait(&request, no_status);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);  // fault
    MPI_Ibarrier(world, &request);
    MPI_Wait(&request, no_status);
  }
}

// One rank names another root.
TWIN(root_differs, 3, argument, mismatch, "2") {
  int number = 0;
  MPI_Request request;
  MPI_Ibcast(&number, 1, MPI_INT, wrong && rank == 2 ? 1 : 0, world, &request);  // fault
  MPI_Wait(&request, no_status);
}

// One rank reduces fewer elements.
TWIN(count_differs, 3, argument, mismatch, "1") {
  int mine[8] = {}, sum[8] = {};
  MPI_Request request;
  MPI_Iallreduce(mine, sum, wrong && rank == 1 ? 4 : 8, MPI_INT, MPI_SUM, world, &request);  // fault
  MPI_Wait(&request, no_status);
}

// One rank takes the product.
TWIN(operation_differs, 3, argument, mismatch, "0") {
  int mine = 1, sum = 0;
  MPI_Request request;
  MPI_Ireduce(&mine, &sum, 1, MPI_INT, wrong && rank == 0 ? MPI_PROD : MPI_SUM, 0, world, &request);  // fault
  MPI_Wait(&request, no_status);
}

// A rank waits for the second collective before it starts the first one of another communicator.
TWIN(communicators_crossed, 2, order, deadlock, "0,1") {
  MPI_Comm one, two;
  MPI_Comm_dup(world, &one);
  MPI_Comm_dup(world, &two);
  MPI_Request request;
  const bool swapped = wrong && rank == 1;
  MPI_Ibarrier(swapped ? two : one, &request);
  MPI_Wait(&request, no_status);  // fault
  MPI_Ibarrier(swapped ? one : two, &request);
  MPI_Wait(&request, no_status);
}

// One rank tests once and leaves.
TWIN(tested_once, 2, completion, misuse, "0") {
  int done = 0;
  MPI_Request request;
  if (rank == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, world, no_status);
  MPI_Ibarrier(world, &request);  // fault
  if (rank == 0) {
    MPI_Test(&request, &done, no_status);
    MPI_Send(nullptr, 0, MPI_INT, 1, 0, world);
    if (wrong) return;
  }
  MPI_Wait(&request, no_status);
}

// Several at once, completed in another order than they were started in.
LEGAL(completed_in_other_order, 3) {
  int mine = rank, sum = 0, all[3] = {}, number = 0;
  std::array<MPI_Request, 3> requests;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world, &requests[0]);
  MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, world, &requests[1]);
  MPI_Ibcast(&number, 1, MPI_INT, 2, world, &requests[2]);
  MPI_Wait(&requests[2], no_status);
  MPI_Waitall(2, requests.data(), no_statuses);
}

// Work between start and completion, with blocking collectives among it.
LEGAL(overlapped, 3) {
  int mine = rank, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world, &request);
  MPI_Barrier(world);
  for (int done = 0; done == 0; usleep(500)) MPI_Test(&request, &done, no_status);
}

// Nobody knows how many messages come: all are received once a barrier of those whose sends were received is through.
LEGAL(consensus_by_barrier, 3) {
  int number = rank, done = 0;
  bool in_barrier = false;
  MPI_Request send, barrier = MPI_REQUEST_NULL;
  MPI_Issend(&number, 1, MPI_INT, (rank + 1) % size, 0, world, &send);
  while (done == 0) {
    int there = 0, received = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, world, &there, &status);
    if (there != 0) MPI_Recv(&number, 1, MPI_INT, status.MPI_SOURCE, 0, world, no_status);
    if (in_barrier) {
      MPI_Test(&barrier, &done, no_status);
    } else {
      MPI_Test(&send, &received, no_status);
      if (received != 0) MPI_Ibarrier(world, &barrier);
      in_barrier = received != 0;
    }
  }
}

// A collective and a message at once.
LEGAL(beside_messages, 2) {
  int mine = rank, sum = 0, theirs = 0;
  std::array<MPI_Request, 3> requests;
  MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, world, &requests[0]);
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world, &requests[1]);
  MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, world, &requests[2]);
  MPI_Waitall(3, requests.data(), no_statuses);
}

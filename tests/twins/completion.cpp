// Nonblocking messages and the calls that complete them.
#include <unistd.h>

#include <array>
#include <vector>

#include "tests/twins/twin.h"

namespace {

constexpr int kLarge = 1 << 18;  // far beyond any eager limit
const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;
MPI_Status* const no_statuses = MPI_STATUSES_IGNORE;

}  // namespace

// A receive that nobody completes: its data are used before they are there.
TWIN(receive_never_completed, 2, completion, misuse, "1") {
  int number = 0;
  MPI_Request request;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, world);
  if (rank == 1) MPI_Irecv(&number, 1, MPI_INT, 0, 0, world, &request);  // fault
  if (rank == 1 && !wrong) MPI_Wait(&request, no_status);
}

// A send that nobody completes.
TWIN(send_never_completed, 2, completion, misuse, "0") {
  int number = 0;
  MPI_Request request;
  if (rank == 0) MPI_Isend(&number, 1, MPI_INT, 1, 0, world, &request);  // fault
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);
  if (rank == 0 && !wrong) MPI_Wait(&request, no_status);
}

// One request variable for several messages: only the last is completed.
TWIN(request_overwritten, 2, completion, misuse, "1") {
  int numbers[3] = {};
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send(numbers, 1, MPI_INT, 1, i, world);
    if (rank == 1) MPI_Irecv(&numbers[i], 1, MPI_INT, 0, i, world, &requests[wrong ? 0 : i]);  // fault
  }
  if (rank == 1) MPI_Waitall(wrong ? 1 : 3, requests, no_statuses);
}

// The list of requests is longer than the count that is waited for.
TWIN(waitall_one_short, 2, completion, misuse, "1") {
  int one = 0, two = 0;
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Send(&one, 1, MPI_INT, 1, 0, world);
    MPI_Send(&two, 1, MPI_INT, 1, 1, world);
    return;
  }
  MPI_Irecv(&one, 1, MPI_INT, 0, 0, world, &requests[0]);
  MPI_Irecv(&two, 1, MPI_INT, 0, 1, world, &requests[1]);  // fault
  MPI_Waitall(wrong ? 1 : 2, requests, no_statuses);
}

// Any one of two is waited for, the other is forgotten.
TWIN(waitany_once, 2, completion, misuse, "1") {
  int one = 0, two = 0, index = 0;
  MPI_Request requests[2];
  if (rank == 0) {
    MPI_Send(&one, 1, MPI_INT, 1, 0, world);
    MPI_Recv(&two, 1, MPI_INT, 1, 9, world, no_status);
    MPI_Send(&two, 1, MPI_INT, 1, 1, world);
    return;
  }
  MPI_Irecv(&one, 1, MPI_INT, 0, 0, world, &requests[0]);
  MPI_Irecv(&two, 1, MPI_INT, 0, 1, world, &requests[1]);  // fault
  MPI_Waitany(2, requests, &index, no_status);
  MPI_Send(&index, 1, MPI_INT, 0, 9, world);
  if (!wrong) MPI_Waitany(2, requests, &index, no_status);
}

// The outcome of a test is not looked at.
TWIN(test_not_looked_at, 2, completion, misuse, "1") {
  int number = 0, done = 0;
  if (rank == 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 1, world, no_status);
    MPI_Send(&number, 1, MPI_INT, 1, 0, world);
    return;
  }
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, 0, 0, world, &request);  // fault
  MPI_Test(&request, &done, no_status);
  MPI_Send(&number, 1, MPI_INT, 0, 1, world);
  while (!wrong && done == 0) MPI_Test(&request, &done, no_status);
}

// One rank returns on its error path before it waits.
TWIN(error_path_returns, 3, completion, misuse, "2") {
  int mine = rank, theirs = 0;
  std::array<MPI_Request, 2> requests;
  MPI_Irecv(&theirs, 1, MPI_INT, (rank + 2) % 3, 0, world, &requests[0]);  // fault
  MPI_Isend(&mine, 1, MPI_INT, (rank + 1) % 3, 0, world, &requests[1]);    // fault
  if (wrong && rank == 2) return;
  MPI_Waitall(2, requests.data(), no_statuses);
}

// Both wait for their send before they receive.
TWIN(wait_before_receive, 2, order, deadlock, "0,1") {
  std::vector<int> mine(kLarge), theirs(kLarge);
  MPI_Request request;
  MPI_Isend(mine.data(), kLarge, MPI_INT, 1 - rank, 0, world, &request);
  if (wrong) MPI_Wait(&request, no_status);  // fault
  MPI_Recv(theirs.data(), kLarge, MPI_INT, 1 - rank, 0, world, no_status);
  if (!wrong) MPI_Wait(&request, no_status);
}

// Both wait for what they receive before they send.
TWIN(wait_before_send, 2, order, deadlock, "0,1") {
  int mine = rank, theirs = 0;
  MPI_Request request;
  MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, world, &request);
  if (wrong) MPI_Waitall(1, &request, no_statuses);  // fault
  MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, world);
  if (!wrong) MPI_Waitall(1, &request, no_statuses);
}

// One neighbour does not send: the wait for all of them does not return.
TWIN(neighbour_does_not_send, 3, missing, deadlock, "1") {
  int mine = rank, theirs[2] = {};
  const int before = (rank + 2) % 3, after = (rank + 1) % 3;
  std::array<MPI_Request, 4> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(&theirs[0], 1, MPI_INT, before, 0, world, &requests[0]);  // fault
  MPI_Irecv(&theirs[1], 1, MPI_INT, after, 1, world, &requests[1]);
  if (!wrong || rank != 1) MPI_Isend(&mine, 1, MPI_INT, after, 0, world, &requests[2]);
  MPI_Isend(&mine, 1, MPI_INT, before, 1, world, &requests[3]);
  MPI_Waitall(4, requests.data(), no_statuses);
}

// A rank polls for a message that is sent only after a barrier which it does not reach.
TWIN(polls_before_barrier, 2, order, deadlock, "0,1") {
  int number = 0, done = 0;
  if (rank == 1) {
    if (!wrong) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    MPI_Barrier(world);  // fault
    if (wrong) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    return;
  }
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, 1, 0, world, &request);
  while (done == 0) MPI_Test(&request, &done, no_status);  // fault
  MPI_Barrier(world);
}

// A cancelled receive still has to be completed.
TWIN(cancelled_and_forgotten, 2, completion, misuse, "1") {
  int number = 0;
  if (rank == 0) return;
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, 0, 0, world, &request);  // fault
  MPI_Cancel(&request);
  if (!wrong) MPI_Wait(&request, no_status);
}

// A receive that is posted with too little room, and completed later.
TWIN(receive_too_short, 2, argument, mismatch, "0,1") {
  int data[8] = {};
  MPI_Request request;
  if (rank == 0)
    MPI_Isend(data, 8, MPI_INT, 1, 0, world, &request);  // fault
  else
    MPI_Irecv(data, wrong ? 4 : 8, MPI_INT, 0, 0, world, &request);  // fault
  MPI_Wait(&request, no_status);
}

// A large exchange with everything posted before anything is waited for.
LEGAL(all_posted_first, 3) {
  std::vector<int> mine(kLarge), from_left(kLarge), from_right(kLarge);
  const int before = (rank + 2) % 3, after = (rank + 1) % 3;
  std::array<MPI_Request, 4> requests;
  MPI_Isend(mine.data(), kLarge, MPI_INT, before, 1, world, &requests[0]);
  MPI_Isend(mine.data(), kLarge, MPI_INT, after, 0, world, &requests[1]);
  MPI_Irecv(from_left.data(), kLarge, MPI_INT, before, 0, world, &requests[2]);
  MPI_Irecv(from_right.data(), kLarge, MPI_INT, after, 1, world, &requests[3]);
  MPI_Waitall(4, requests.data(), no_statuses);
}

// Work between posting and completing, with a test now and then.
LEGAL(overlapped_with_work, 2) {
  std::vector<int> mine(kLarge), theirs(kLarge);
  std::array<MPI_Request, 2> requests;
  MPI_Isend(mine.data(), kLarge, MPI_INT, 1 - rank, 0, world, &requests[0]);
  MPI_Irecv(theirs.data(), kLarge, MPI_INT, 1 - rank, 0, world, &requests[1]);
  for (int all = 0; all == 0; usleep(1000)) MPI_Testall(2, requests.data(), &all, no_statuses);
}

// A send that is freed while it is active, known to be done by its answer.
LEGAL(freed_while_active, 2) {
  int number = 0;
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(&number, 1, MPI_INT, 1, 0, world, &request);
    MPI_Request_free(&request);
    MPI_Recv(&number, 1, MPI_INT, 1, 1, world, no_status);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);
    MPI_Send(&number, 1, MPI_INT, 0, 1, world);
  }
}

// A receive for a message that never comes is cancelled and completed.
LEGAL(cancelled_receive, 2) {
  int number = 0;
  MPI_Request request;
  MPI_Irecv(&number, 1, MPI_INT, 1 - rank, 42, world, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, no_status);
}

// Lists with holes, and waits for nothing.
LEGAL(null_requests, 2) {
  int mine = rank, theirs = 0, index = 0, flag = 0, done = 0, indices[3];
  std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Waitall(3, requests.data(), no_statuses);
  MPI_Waitany(3, requests.data(), &index, no_status);
  MPI_Waitsome(3, requests.data(), &done, indices, no_statuses);
  MPI_Wait(&requests[0], no_status);
  MPI_Test(&requests[0], &flag, no_status);
  MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, world, &requests[1]);
  MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, world, no_status);
  MPI_Waitall(3, requests.data(), no_statuses);
}

// Messages taken as they come, until all have come.
LEGAL(as_they_come, 3) {
  int mine = rank, theirs[4] = {};
  if (rank != 0) {
    for (int i = 0; i < 2; ++i) MPI_Send(&mine, 1, MPI_INT, 0, i, world);
    return;
  }
  std::array<MPI_Request, 4> requests;
  for (int i = 0; i < 4; ++i) MPI_Irecv(&theirs[i], 1, MPI_INT, 1 + i / 2, i % 2, world, &requests[i]);
  int index = 0, left = 3, done = 0, indices[4];
  MPI_Waitany(4, requests.data(), &index, no_status);
  while (left > 0) {
    MPI_Waitsome(4, requests.data(), &done, indices, no_statuses);
    left -= done;
  }
}

// The requests of two messages are completed in the other order.
LEGAL(completed_in_other_order, 2) {
  int one = 0, two = 0;
  std::array<MPI_Request, 2> requests;
  for (int i = 0; i < 2; ++i) {
    int& number = i == 0 ? one : two;
    if (rank == 0) MPI_Isend(&number, 1, MPI_INT, 1, i, world, &requests[i]);
    if (rank == 1) MPI_Irecv(&number, 1, MPI_INT, 0, i, world, &requests[i]);
  }
  MPI_Wait(&requests[1], no_status);
  MPI_Wait(&requests[0], no_status);
}

// A message to oneself.
LEGAL(message_to_self, 2) {
  int mine = rank, copy = 0;
  MPI_Request request;
  MPI_Isend(&mine, 1, MPI_INT, rank, 0, world, &request);
  MPI_Recv(&copy, 1, MPI_INT, rank, 0, world, no_status);
  MPI_Wait(&request, no_status);
}

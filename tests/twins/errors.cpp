// Calls that MPI refuses: with its usual error handler the library ends the job within the call, and other ranks with
// it. The rank that made the call is told, not those that were ended.
#include <vector>

#include "tests/twins/twin.h"

namespace {

constexpr int kLarge = 1 << 16;
const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

int right() {
  return (rank + 1) % size;
}
int left() {
  return (rank + size - 1) % size;
}

void give_up(MPI_Comm* comm, int*, ...) {
  MPI_Abort(*comm, 9);
}

}  // namespace

// A buffered send without a buffer to keep the message in.
TWIN(buffer_not_attached, 2, missing, rank_error, "0") {
  std::vector<char> data(kLarge), buffer(kLarge + MPI_BSEND_OVERHEAD);
  if (!wrong) MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  if (rank == 0) MPI_Bsend(data.data(), kLarge, MPI_CHAR, 1, 0, world);  // fault
  if (rank == 1) MPI_Recv(data.data(), kLarge, MPI_CHAR, 0, 0, world, no_status);
  void* detached = nullptr;
  int bytes = 0;
  if (!wrong) MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
}

// The last of a line sends to the one behind it.
TWIN(neighbour_beyond_the_end, 3, argument, rank_error, "2") {
  int mine = rank, theirs = 0;
  const int up = rank + 1 < size || wrong ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Send(&mine, 1, MPI_INT, up, 0, world);  // fault
  MPI_Recv(&theirs, 1, MPI_INT, down, 0, world, no_status);
}

// The same within an exchange.
TWIN(exchange_beyond_the_end, 3, argument, rank_error, "2") {
  int mine = rank, theirs = 0;
  const int up = rank + 1 < size || wrong ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(&mine, 1, MPI_INT, up, 0, &theirs, 1, MPI_INT, down, 0, world, no_status);  // fault
}

// A rank that is not in a part of the world takes part in its collective.
TWIN(null_communicator, 3, argument, rank_error, "0") {
  MPI_Comm some;
  int number = 1, sum = 0;
  MPI_Comm_split(world, rank > 0 ? 0 : MPI_UNDEFINED, 0, &some);
  if (rank > 0 || wrong) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, some);  // fault
  MPI_Barrier(world);
  if (rank > 0) MPI_Comm_free(&some);
}

// The same with a call that is not among those that make events.
TWIN(null_communicator_asked, 3, argument, rank_error, "0") {
  MPI_Comm some;
  int place = 0;
  MPI_Comm_split(world, rank > 0 ? 0 : MPI_UNDEFINED, 0, &some);
  if (rank > 0 || wrong) MPI_Comm_rank(some, &place);  // fault
  MPI_Barrier(world);
  if (rank > 0) MPI_Comm_free(&some);
}

// One rank counts roots from 1.
TWIN(root_beyond_the_end, 3, argument, rank_error, "1") {
  int number = rank;
  MPI_Bcast(&number, 1, MPI_INT, wrong && rank == 1 ? size : size - 1, world);  // fault
}

// All count roots from 1.
TWIN(root_beyond_the_end_of_all, 2, argument, rank_error, "0,1") {
  int number = rank;
  MPI_Bcast(&number, 1, MPI_INT, wrong ? size : 1, world);  // fault
}

// A tag made by subtraction.
TWIN(negative_tag, 2, argument, rank_error, "1") {
  int mine = rank, theirs = 0;
  MPI_Request request;
  MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, MPI_ANY_TAG, world, &request);
  MPI_Send(&mine, 1, MPI_INT, 1 - rank, wrong && rank == 1 ? rank - 6 : rank, world);  // fault
  MPI_Wait(&request, no_status);
}

// A count made by subtraction, while the others are at another call.
TWIN(negative_count, 3, argument, rank_error, "2") {
  std::vector<int> data(8);
  if (rank == 0)
    for (int i = 1; i < size; ++i) MPI_Recv(data.data(), 8, MPI_INT, i, 0, world, no_status);
  else
    MPI_Send(data.data(), wrong && rank == 2 ? 1 - rank : 1, MPI_INT, 0, 0, world);  // fault
  MPI_Barrier(world);
}

// A type that was never made.
TWIN(null_type, 2, argument, rank_error, "1") {
  int number = rank;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  if (!wrong || rank == 0) MPI_Type_contiguous(1, MPI_INT, &type);
  if (!wrong || rank == 0) MPI_Type_commit(&type);
  MPI_Bcast(&number, 1, type, 0, world);  // fault
  MPI_Type_free(&type);
}

// A message that is too long is told by the wait for its receive. The length is what is wrong, not the waiting.
TWIN(receive_too_short, 2, argument, mismatch, "0,1") {
  int data[8] = {};
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(data, 8, MPI_INT, 1, 0, world);  // fault
  } else {
    MPI_Irecv(data, wrong ? 4 : 8, MPI_INT, 0, 0, world, &request);  // fault
    MPI_Wait(&request, no_status);
  }
}

// The same, told by a test.
TWIN(receive_too_short_tested, 2, argument, mismatch, "0,1") {
  int data[8] = {}, done = 0;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send(data, 8, MPI_INT, 1, 0, world);  // fault
  } else {
    MPI_Irecv(data, wrong ? 4 : 8, MPI_INT, 0, 0, world, &request);  // fault
    while (done == 0) MPI_Test(&request, &done, no_status);
  }
}

// A probe of a rank that is not there.
TWIN(probe_beyond_the_end, 2, argument, rank_error, "0") {
  int number = rank, there = 0;
  if (rank == 0) {
    while (there == 0) MPI_Iprobe(wrong ? size : 1, 0, world, &there, no_status);  // fault
    MPI_Recv(&number, 1, MPI_INT, 1, 0, world, no_status);
  } else {
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);
  }
}

// A put before the epoch begins.
TWIN(put_outside_an_epoch, 2, order, misuse, "0") {
  int memory[4] = {}, number = 1;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  if (!wrong) MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, win);  // fault
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// A lock is given back that was not taken.
TWIN(unlock_without_lock, 2, missing, misuse, "1") {
  int memory[4] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  if (!wrong && rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  if (rank == 1) MPI_Win_unlock(0, win);  // fault
  MPI_Win_free(&win);
}

// A put to a rank that is not there.
TWIN(put_beyond_the_end, 2, argument, rank_error, "1") {
  int memory[4] = {}, number = 1;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  MPI_Win_fence(0, win);
  if (rank == 1) MPI_Put(&number, 1, MPI_INT, wrong ? size : 0, 0, 1, MPI_INT, win);  // fault
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

// A grid for more ranks than there are.
TWIN(grid_too_large, 2, argument, rank_error, "0,1") {
  const int dims[2] = {wrong ? 2 : 1, 2}, periods[2] = {};
  MPI_Comm grid;
  MPI_Cart_create(world, 2, dims, periods, 0, &grid);  // fault
  MPI_Comm_free(&grid);
}

// A handler that ends the job itself.
TWIN(own_handler_that_aborts, 2, argument, rank_error, "1") {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(give_up, &handler);
  MPI_Comm_set_errhandler(world, handler);
  int mine = rank, theirs = 0;
  const int to = wrong && rank == 1 ? size : right();
  MPI_Sendrecv(&mine, 1, MPI_INT, to, 0, &theirs, 1, MPI_INT, left(), 0, world, no_status);  // fault
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

// An error that the program asked to be told of, and does not look at.
TWIN(returned_error_ignored, 2, argument, rank_error, "1") {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  int number = 0;
  MPI_Bcast(&number, 1, MPI_INT, wrong && rank == 1 ? size : 0, world);  // fault
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
}

// Handlers that were asked for are those that were set.
LEGAL(handlers_are_what_they_were, 2) {
  MPI_Errhandler handler;
  MPI_Comm copy;
  MPI_Comm_dup(world, &copy);
  MPI_Comm_get_errhandler(copy, &handler);
  if (handler != MPI_ERRORS_ARE_FATAL) MPI_Abort(world, 1);
  MPI_Errhandler_free(&handler);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  MPI_Comm_get_errhandler(copy, &handler);
  if (handler != MPI_ERRORS_RETURN) MPI_Abort(world, 1);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&copy);
}

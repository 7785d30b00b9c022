// Blocking messages: order of sends and receives, tags, peers, sizes, types, modes.
#include <unistd.h>

#include <vector>

#include "tests/twins/twin.h"

namespace {

constexpr int kLarge = 1 << 18;  // far beyond any eager limit
const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

int left() {
  return (rank + size - 1) % size;
}
int right() {
  return (rank + 1) % size;
}

}  // namespace

// Both send first; beyond the eager limit neither send returns.
TWIN(send_send_large, 2, order, deadlock, "0,1") {
  std::vector<int> mine(kLarge), theirs(kLarge);
  const int peer = 1 - rank;
  if (!wrong && rank == 1) MPI_Recv(theirs.data(), kLarge, MPI_INT, peer, 0, world, no_status);
  MPI_Send(mine.data(), kLarge, MPI_INT, peer, 0, world);  // fault
  if (wrong || rank == 0) MPI_Recv(theirs.data(), kLarge, MPI_INT, peer, 0, world, no_status);
}

// The same with one number: it returns today, by luck of buffering.
TWIN(send_send_small, 2, order, deadlock, "0,1") {
  int mine = rank, theirs = 0;
  const int peer = 1 - rank;
  if (!wrong && rank == 1) MPI_Recv(&theirs, 1, MPI_INT, peer, 0, world, no_status);
  MPI_Send(&mine, 1, MPI_INT, peer, 0, world);  // fault
  if (wrong || rank == 0) MPI_Recv(&theirs, 1, MPI_INT, peer, 0, world, no_status);
}

// A ring in which everybody waits to be received.
TWIN(synchronous_ring, 3, order, deadlock, "0,1,2") {
  int mine = rank, theirs = 0;
  if (!wrong && rank == 0) MPI_Recv(&theirs, 1, MPI_INT, left(), 0, world, no_status);
  MPI_Ssend(&mine, 1, MPI_INT, right(), 0, world);  // fault
  if (wrong || rank != 0) MPI_Recv(&theirs, 1, MPI_INT, left(), 0, world, no_status);
}

// Both receive first.
TWIN(receive_receive, 2, order, deadlock, "0,1") {
  int mine = rank, theirs = 0;
  const int peer = 1 - rank;
  if (!wrong && rank == 0) MPI_Send(&mine, 1, MPI_INT, peer, 0, world);
  MPI_Recv(&theirs, 1, MPI_INT, peer, 0, world, no_status);  // fault
  if (wrong || rank == 1) MPI_Send(&mine, 1, MPI_INT, peer, 0, world);
}

// Two messages are received in the other order than they are sent in, each of which waits.
TWIN(tags_crossed, 2, order, deadlock, "0,1") {
  int number = 0;
  if (rank == 0) {
    MPI_Ssend(&number, 1, MPI_INT, 1, 1, world);  // fault
    MPI_Ssend(&number, 1, MPI_INT, 1, 2, world);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, wrong ? 2 : 1, world, no_status);  // fault
    MPI_Recv(&number, 1, MPI_INT, 0, wrong ? 1 : 2, world, no_status);
  }
}

// One sends with a tag, the other receives with another one.
TWIN(tag_differs, 2, argument, deadlock, "0,1") {
  int number = 0;
  if (rank == 0)
    MPI_Send(&number, 1, MPI_INT, 1, wrong ? 7 : 8, world);  // fault
  else
    MPI_Recv(&number, 1, MPI_INT, 0, 8, world, no_status);  // fault
}

// The sender uses a copy of the communicator, the receiver the world.
TWIN(communicator_differs, 2, argument, deadlock, "0,1") {
  MPI_Comm copy;
  MPI_Comm_dup(world, &copy);
  int number = 0;
  if (rank == 0)
    MPI_Send(&number, 1, MPI_INT, 1, 0, wrong ? copy : world);  // fault
  else
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);  // fault
  MPI_Comm_free(&copy);
}

// A message goes to the wrong rank.
TWIN(wrong_destination, 3, argument, deadlock, "0") {
  int number = 0;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, wrong ? 2 : 1, 0, world);  // fault
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);
}

// The same with a message that waits to be received.
TWIN(wrong_destination_large, 3, argument, deadlock, "0") {
  std::vector<int> data(kLarge);
  if (rank == 0) MPI_Send(data.data(), kLarge, MPI_INT, wrong ? 2 : 1, 0, world);  // fault
  if (rank == 1) MPI_Recv(data.data(), kLarge, MPI_INT, 0, 0, world, no_status);
}

// A receive names the wrong rank; that the other one left its send out reads as well.
TWIN(wrong_source, 3, argument, deadlock, "1|2") {
  int number = 0;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, world);
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, wrong ? 2 : 0, 0, world, no_status);  // fault
}

// One rank of a ring sends against the stream.
TWIN(sendrecv_turned, 3, argument, deadlock, "1") {
  int mine = rank, theirs = 0;
  const bool turned = wrong && rank == 1;
  const int to = turned ? left() : right(), from = turned ? right() : left();
  MPI_Sendrecv(&mine, 1, MPI_INT, to, 0, &theirs, 1, MPI_INT, from, 0, world, no_status);  // fault
}

// A worker has nothing to tell and sends nothing; the master waits for it.
TWIN(send_left_out, 3, missing, deadlock, "1") {
  int result = 0;
  if (rank == 0) {
    for (int worker = 1; worker < size; ++worker) MPI_Recv(&result, 1, MPI_INT, worker, 0, world, no_status);  // fault
  } else if (!wrong || rank != 1) {
    MPI_Send(&result, 1, MPI_INT, 0, 0, world);
  }
}

// A large message that nobody receives.
TWIN(receive_left_out_large, 2, missing, deadlock, "1") {
  std::vector<int> data(kLarge);
  if (rank == 0) MPI_Send(data.data(), kLarge, MPI_INT, 1, 0, world);  // fault
  if (rank == 1 && !wrong) MPI_Recv(data.data(), kLarge, MPI_INT, 0, 0, world, no_status);
}

// A small one is lost in silence.
TWIN(receive_left_out_small, 2, missing, deadlock, "1") {
  int number = 0;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, world);  // fault
  if (rank == 1 && !wrong) MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);
}

// The master counts itself among its workers, and waits for one result too many.
TWIN(one_receive_too_many, 3, extra, deadlock, "0") {
  int result = 0;
  const int results = wrong ? size : size - 1;
  if (rank == 0) {
    for (int i = 0; i < results; ++i) MPI_Recv(&result, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, no_status);  // fault
  } else {
    MPI_Send(&result, 1, MPI_INT, 0, 0, world);
  }
}

// A large message to oneself, before it is received.
TWIN(send_to_self, 2, order, deadlock, "0") {
  std::vector<int> data(kLarge), copy(kLarge);
  if (rank != 0) return;
  MPI_Request request = MPI_REQUEST_NULL;
  if (!wrong) MPI_Irecv(copy.data(), kLarge, MPI_INT, 0, 0, world, &request);
  MPI_Send(data.data(), kLarge, MPI_INT, 0, 0, world);  // fault
  if (wrong) MPI_Recv(copy.data(), kLarge, MPI_INT, 0, 0, world, no_status);
  MPI_Wait(&request, no_status);
}

// The receive has room for half of the message.
TWIN(receive_too_short, 2, argument, mismatch, "0,1") {
  int data[8] = {};
  if (rank == 0)
    MPI_Send(data, 8, MPI_INT, 1, 0, world);  // fault
  else
    MPI_Recv(data, wrong ? 4 : 8, MPI_INT, 0, 0, world, no_status);  // fault
}

// Integers are received as floats: it returns, and the numbers mean nothing.
TWIN(type_differs, 2, argument, mismatch, "0,1") {
  int data[4] = {};
  if (rank == 0)
    MPI_Send(data, 4, MPI_INT, 1, 0, world);  // fault
  else
    MPI_Recv(data, 4, wrong ? MPI_FLOAT : MPI_INT, 0, 0, world, no_status);  // fault
}

// One rank leaves on its error path, the other goes on to exchange.
TWIN(error_path_returns, 2, missing, deadlock, "1") {
  int mine = rank, theirs = 0;
  const bool failed = wrong && rank == 1;
  if (failed) return;
  if (rank == 0) MPI_Recv(&theirs, 1, MPI_INT, 1, 0, world, no_status);  // fault
  if (rank == 1) MPI_Send(&mine, 1, MPI_INT, 0, 0, world);
}

// A length, then so many data, of two senders: the master can take the length of one and the data of another.
TWIN(lengths_and_data_mixed, 3, race, race, "0") {
  int length = 4 * rank, lengths[8] = {}, data[8] = {};
  if (rank != 0) {
    MPI_Send(&length, 1, MPI_INT, 0, 0, world);
    MPI_Send(data, length, MPI_INT, 0, 0, world);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    MPI_Recv(lengths, 8, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);
    MPI_Recv(data, 8, MPI_INT, wrong ? MPI_ANY_SOURCE : status.MPI_SOURCE, 0, world, no_status);  // fault
  }
}

// A wildcard takes the message that a later receive names. Rank 1 sends only after the wildcard was served.
TWIN(wildcard_steals, 3, race, deadlock, "0") {
  int number = 0;
  if (rank == 0) {
    MPI_Status status;
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);  // fault
    MPI_Recv(&number, 1, MPI_INT, wrong ? 2 : 3 - status.MPI_SOURCE, 0, world, no_status);
  } else {
    if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 2, 1, world, no_status);
    MPI_Ssend(&number, 1, MPI_INT, 0, 0, world);
    if (rank == 2) MPI_Send(&number, 1, MPI_INT, 1, 1, world);
  }
}

// A master that answers whoever comes, until each worker had its share.
LEGAL(master_and_workers, 3) {
  enum { kTasks = 6, kWork = 1, kStop = 2 };
  int number = 0;
  MPI_Status status;
  if (rank == 0) {
    for (int task = 0; task < kTasks + size - 1; ++task) {
      MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
      MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, task < kTasks ? kWork : kStop, world);
    }
    return;
  }
  do {
    MPI_Send(&number, 1, MPI_INT, 0, kWork, world);
    MPI_Recv(&number, 1, MPI_INT, 0, MPI_ANY_TAG, world, &status);
  } while (status.MPI_TAG == kWork);
}

// Large exchanges that cannot block each other.
LEGAL(exchange_by_sendrecv, 3) {
  std::vector<int> mine(kLarge), theirs(kLarge);
  MPI_Sendrecv(mine.data(), kLarge, MPI_INT, right(), 0, theirs.data(), kLarge, MPI_INT, left(), 0, world, no_status);
  MPI_Sendrecv_replace(mine.data(), kLarge, MPI_INT, left(), 1, right(), 1, world, no_status);
}

// A line, not a ring: its ends talk to MPI_PROC_NULL.
LEGAL(line_with_open_ends, 3) {
  std::vector<int> mine(kLarge), theirs(kLarge);
  const int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  MPI_Send(mine.data(), kLarge, MPI_INT, up, 0, world);
  MPI_Recv(theirs.data(), kLarge, MPI_INT, down, 0, world, no_status);
}

// The same numbers by another type, empty messages, and more room than the message needs.
LEGAL(shapes_that_fit, 2) {
  int data[8] = {};
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  if (rank == 0) {
    MPI_Send(data, 2, pair, 1, 0, world);
    MPI_Send(data, 0, MPI_INT, 1, 0, world);
    MPI_Send(data, 3, MPI_INT, 1, 0, world);
  } else {
    MPI_Recv(data, 4, MPI_INT, 0, 0, world, no_status);
    MPI_Recv(data, 0, MPI_FLOAT, 0, 0, world, no_status);
    MPI_Recv(data, 4, pair, 0, 0, world, no_status);
  }
  MPI_Type_free(&pair);
}

// Packed data may be received by its types, and the other way round.
LEGAL(packed, 2) {
  char packed[64];
  int numbers[4] = {}, position = 0;
  if (rank == 0) {
    MPI_Pack(numbers, 4, MPI_INT, packed, sizeof packed, &position, world);
    MPI_Send(packed, position, MPI_PACKED, 1, 0, world);
  } else {
    MPI_Recv(numbers, 4, MPI_INT, 0, 0, world, no_status);
  }
}

// Buffered sends may cross.
LEGAL(buffered_sends_cross, 2) {
  std::vector<char> buffer(4096 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
  int mine = rank, theirs = 0;
  MPI_Bsend(&mine, 1, MPI_INT, 1 - rank, 0, world);
  MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, world, no_status);
  void* detached = nullptr;
  int bytes = 0;
  MPI_Buffer_detach(static_cast<void*>(&detached), &bytes);
}

// A ready send after the word that its receive is there.
LEGAL(ready_when_told, 2) {
  int number = 0;
  if (rank == 0) {
    MPI_Recv(&number, 0, MPI_INT, 1, 1, world, no_status);
    MPI_Rsend(&number, 1, MPI_INT, 1, 0, world);
  } else {
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 0, 0, world, &request);
    MPI_Send(&number, 0, MPI_INT, 0, 1, world);
    MPI_Wait(&request, no_status);
  }
}

// A rank that computes for a while is no failure.
LEGAL(slow_sender, 2) {
  int number = 0;
  if (rank == 0) {
    usleep(400000);
    MPI_Send(&number, 1, MPI_INT, 1, 0, world);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);
  }
}

// Receives by tag take messages in another order than they were sent, once the first sends need no receive.
LEGAL(tags_out_of_order, 2) {
  int one = 1, two = 2;
  MPI_Request request;
  if (rank == 0) {
    MPI_Isend(&one, 1, MPI_INT, 1, 1, world, &request);
    MPI_Send(&two, 1, MPI_INT, 1, 2, world);
    MPI_Wait(&request, no_status);
  } else {
    MPI_Recv(&two, 1, MPI_INT, 0, 2, world, no_status);
    MPI_Recv(&one, 1, MPI_INT, 0, 1, world, no_status);
  }
}

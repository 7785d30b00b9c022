// Probes: what was probed, what is received, and who else may take it.
#include <unistd.h>

#include <vector>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

}  // namespace

// The message that was probed need not be the one that is received.
TWIN(received_from_anybody, 3, race, race, "0") {
  int data[16] = {};
  if (rank != 0) {
    MPI_Send(data, 4 * rank, MPI_INT, 0, 0, world);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, 0, world, &status);
    MPI_Recv(data, 16, MPI_INT, wrong ? MPI_ANY_SOURCE : status.MPI_SOURCE, 0, world, no_status);  // fault
  }
}

// A probe for a tag that is not sent.
TWIN(tag_differs, 2, argument, deadlock, "0,1") {
  int number = 0;
  if (rank == 1) {
    MPI_Send(&number, 1, MPI_INT, 0, 4, world);  // fault
  } else {
    MPI_Probe(1, wrong ? 5 : 4, world, no_status);  // fault
    MPI_Recv(&number, 1, MPI_INT, 1, 4, world, no_status);
  }
}

// Probed with any tag, received with a fixed one.
TWIN(received_with_other_tag, 2, argument, deadlock, "0,1") {
  int number = 0;
  if (rank == 1) {
    MPI_Send(&number, 1, MPI_INT, 0, 4, world);  // fault
  } else {
    MPI_Status status;
    MPI_Probe(1, MPI_ANY_TAG, world, &status);
    MPI_Recv(&number, 1, MPI_INT, 1, wrong ? 5 : status.MPI_TAG, world, no_status);  // fault
  }
}

// A matched probe takes the message; an ordinary receive waits for another one.
TWIN(matched_and_received_again, 2, argument, deadlock, "0") {
  int number = 0;
  if (rank == 1) {
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    return;
  }
  MPI_Message message;
  MPI_Mprobe(1, 0, world, &message, no_status);
  if (wrong)
    MPI_Recv(&number, 1, MPI_INT, 1, 0, world, no_status);  // fault
  else
    MPI_Mrecv(&number, 1, MPI_INT, &message, no_status);
}

// A message that a probe took is never received, and its send may wait for that.
TWIN(matched_and_forgotten, 2, completion, deadlock, "0") {
  int number = 0;
  if (rank == 1) {
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);  // fault
    return;
  }
  MPI_Message message;
  MPI_Mprobe(1, 0, world, &message, no_status);  // fault
  if (!wrong) MPI_Mrecv(&number, 1, MPI_INT, &message, no_status);
}

// A rank polls for a message that is sent after a barrier.
TWIN(polls_before_barrier, 2, order, deadlock, "0,1") {
  int number = 0, there = 0;
  if (rank == 1) {
    if (!wrong) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    MPI_Barrier(world);  // fault
    if (wrong) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    return;
  }
  while (there == 0) MPI_Iprobe(1, 0, world, &there, no_status);  // fault
  MPI_Recv(&number, 1, MPI_INT, 1, 0, world, no_status);
  MPI_Barrier(world);
}

// A probe for a message that nobody sends.
TWIN(nobody_sends, 3, missing, deadlock, "2") {
  int number = 0;
  if (rank == 0) {
    for (int worker = 1; worker < size; ++worker) {
      MPI_Probe(worker, 0, world, no_status);  // fault
      MPI_Recv(&number, 1, MPI_INT, worker, 0, world, no_status);
    }
  } else if (!wrong || rank != 2) {
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);
  }
}

// Both probe before they send.
TWIN(both_probe_first, 2, order, deadlock, "0,1") {
  int mine = rank, theirs = 0;
  if (!wrong && rank == 0) MPI_Send(&mine, 1, MPI_INT, 1, 0, world);
  MPI_Probe(1 - rank, 0, world, no_status);  // fault
  if (wrong && rank == 0) MPI_Send(&mine, 1, MPI_INT, 1, 0, world);
  MPI_Recv(&theirs, 1, MPI_INT, 1 - rank, 0, world, no_status);
  if (rank == 1) MPI_Send(&mine, 1, MPI_INT, 0, 0, world);
}

// The number of elements is taken from the probe, with the wrong type.
TWIN(room_by_wrong_type, 2, argument, mismatch, "0,1") {
  double data[8] = {};
  if (rank == 1) {
    MPI_Send(data, 8, MPI_DOUBLE, 0, 0, world);  // fault
    return;
  }
  MPI_Status status;
  MPI_Probe(1, 0, world, &status);
  MPI_Recv(data, 8, wrong ? MPI_FLOAT : MPI_DOUBLE, 1, 0, world, no_status);  // fault
}

// Room for exactly what was probed, from exactly that rank.
LEGAL(sized_by_probe, 3) {
  std::vector<int> data(16);
  if (rank != 0) {
    MPI_Send(data.data(), 3 * rank, MPI_INT, 0, rank, world);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Status status;
    int count = 0;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Recv(data.data(), count, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, no_status);
  }
}

// A matched probe and its receive are one, whoever else sends.
LEGAL(matched_from_anybody, 3) {
  int data[16] = {};
  if (rank != 0) {
    MPI_Send(data, 4 * rank, MPI_INT, 0, 0, world);
    return;
  }
  for (int i = 1; i < size; ++i) {
    MPI_Message message;
    MPI_Status status;
    int count = 0;
    MPI_Mprobe(MPI_ANY_SOURCE, 0, world, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Mrecv(data, count, MPI_INT, &message, no_status);
  }
}

// A probe that never finds anything, and is given up.
LEGAL(nothing_there, 2) {
  int there = 0;
  for (int i = 0; i < 20; ++i) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &there, no_status);
}

// Polled until it comes, with other work in between.
LEGAL(polled_with_work, 2) {
  int number = 0, there = 0;
  if (rank == 1) {
    usleep(50000);
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);
    return;
  }
  for (; there == 0; usleep(1000)) MPI_Iprobe(1, 0, world, &there, no_status);
  MPI_Recv(&number, 1, MPI_INT, 1, 0, world, no_status);
}

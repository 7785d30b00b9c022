// Threads that call MPI at once (MPI_THREAD_MULTIPLE): each has an order of its own, and so needs communicators, tags
// and requests of its own.
#include <functional>
#include <thread>
#include <vector>

#include "tests/twins/twin.h"

namespace {

constexpr int kLarge = 1 << 18, kRounds = 4;
const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

void send(int to, int tag) {
  int number = 0;
  MPI_Ssend(&number, 1, MPI_INT, to, tag, world);
}

void receive(int from, int tag) {
  int number = 0;
  MPI_Recv(&number, 1, MPI_INT, from, tag, world, no_status);
}

// The main thread does one thing, a second one the other.
void at_once(const std::function<void()>& here, const std::function<void()>& there) {
  std::thread second(there);
  here();
  second.join();
}

}  // namespace

// On each rank one thread sends and the other receives, but what is sent has the tag of no receive.
TWIN(threads_wait_for_each_other, 2, argument, deadlock, "0,1") {
  const int peer = 1 - rank;
  at_once(
      [=] {
        int number = 0;
        MPI_Ssend(&number, 1, MPI_INT, peer, wrong ? 1 + rank : 1, world);  // fault
      },
      [=] {
        int number = 0;
        MPI_Recv(&number, 1, MPI_INT, peer, wrong ? 3 + rank : 1, world, no_status);
      });
}

// All threads send before they receive.
TWIN(both_threads_send_first, 2, order, deadlock, "0,1") {
  const auto exchange = [](int tag) {
    const int peer = 1 - rank;
    std::vector<int> mine(kLarge), theirs(kLarge);
    if (wrong || rank == 0) MPI_Send(mine.data(), kLarge, MPI_INT, peer, tag, world);  // fault
    MPI_Recv(theirs.data(), kLarge, MPI_INT, peer, tag, world, no_status);
    if (!wrong && rank == 1) MPI_Send(mine.data(), kLarge, MPI_INT, peer, tag, world);
  };
  at_once([=] { exchange(0); }, [=] { exchange(1); });
}

// Each thread of one rank waits for a message that the other does not send.
TWIN(nothing_for_either_thread, 2, missing, deadlock, "1") {
  int one = 0, two = 0;
  if (rank == 0) {
    std::thread second([&] { MPI_Recv(&two, 1, MPI_INT, 1, 1, world, no_status); });
    MPI_Recv(&one, 1, MPI_INT, 1, 0, world, no_status);  // fault
    second.join();
  } else if (!wrong) {
    std::thread second([] { send(0, 1); });
    send(0, 0);
    second.join();
  }
}

// The threads of one rank go round once more than those of the other, each on its communicator: of two, either may be
// wrong.
TWIN(threads_go_round_once_more, 2, extra, deadlock, "0,1") {
  MPI_Comm other;
  MPI_Comm_dup(world, &other);
  const auto go_round = [](MPI_Comm comm) {
    int number = 1, sum = 0;
    const int rounds = wrong && rank == 1 ? kRounds + 1 : kRounds;
    for (int round = 0; round < rounds; ++round) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, comm);  // fault
  };
  at_once([=] { go_round(world); }, [=] { go_round(other); });
  if (!wrong) MPI_Comm_free(&other);
}

// The second threads take their own rank for the root.
TWIN(a_threads_root_differs, 2, argument, mismatch, "0,1") {
  MPI_Comm other;
  MPI_Comm_dup(world, &other);
  at_once([] { MPI_Barrier(MPI_COMM_WORLD); },
          [=] {
            int number = rank;
            MPI_Bcast(&number, 1, MPI_INT, wrong ? rank : 0, other);  // fault
          });
  MPI_Comm_free(&other);
}

// Each thread has its communicator.
LEGAL(collectives_on_communicators_of_their_own, 2) {
  MPI_Comm other;
  MPI_Comm_dup(world, &other);
  at_once(
      [] {
        for (int round = 0; round < kRounds; ++round) MPI_Barrier(MPI_COMM_WORLD);
      },
      [=] {
        int number = 1, sum = 0;
        for (int round = 0; round < kRounds; ++round) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, other);
      });
  MPI_Comm_free(&other);
}

// Each thread has its tag; which of them comes first does not matter.
LEGAL(tags_of_their_own, 2) {
  const int peer = 1 - rank;
  at_once([=] { rank == 0 ? send(peer, 0) : receive(peer, 0); }, [=] { rank == 0 ? receive(peer, 1) : send(peer, 1); });
}

// What one thread begins, the other completes, after it was told.
LEGAL(request_handed_over, 2) {
  int mine = rank, theirs = 0;
  MPI_Request requests[2];
  MPI_Irecv(&theirs, 1, MPI_INT, 1 - rank, 0, world, &requests[0]);
  MPI_Isend(&mine, 1, MPI_INT, 1 - rank, 0, world, &requests[1]);
  std::thread([&] { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }).join();
}

// Threads take turns, and join before the next.
LEGAL(one_after_the_other, 2) {
  for (int round = 0; round < kRounds; ++round) {
    std::thread([] { MPI_Barrier(MPI_COMM_WORLD); }).join();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

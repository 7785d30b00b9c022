// MPI_THREAD_FUNNELED: calls of the thread that initialized MPI, and no other.
#include <thread>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

}  // namespace

// A second thread makes a call of its own, while the main one waits for it.
TWIN(second_thread_sends, 2, thread, misuse, "1") {
  int number = 0;
  const auto send = [&] { MPI_Send(&number, 1, MPI_INT, 0, 0, world); };  // fault
  if (rank == 0) {
    MPI_Recv(&number, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
  } else if (wrong) {
    std::thread(send).join();
  } else {
    send();
  }
}

// All ranks leave a barrier to a second thread, which makes no other call.
TWIN(barrier_of_a_second_thread, 2, thread, misuse, "0,1") {
  const auto meet = [] { MPI_Barrier(world); };  // fault
  if (wrong)
    std::thread(meet).join();
  else
    meet();
}

// A second thread that computes, and one that asks what any thread may ask.
LEGAL(second_thread_computes, 2) {
  int sum = 0, number = rank, inside = 0;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) number += i;
    MPI_Initialized(&inside);
    MPI_Is_thread_main(&inside);
  }).join();
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world);
}

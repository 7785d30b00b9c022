// A master gives each worker its tasks one by one and takes the answers from any of them. A worker whose search finds
// nothing has nothing to say, so it sends no answer and waits for its next task: the master waits for ever. The twin
// sends an empty answer.
#include <vector>

#include "tests/programs/programs.hpp"

namespace {

enum Tag : int { kTask = 1, kAnswer = 2 };
constexpr int kStop = -1;
constexpr int kTasksEach = 8;
constexpr int kFruitless = 17;  // the task in which there is nothing to find

void send_task(int worker, int task) {
  MPI_Send(&task, 1, MPI_INT, worker, kTask, MPI_COMM_WORLD);
}

void run_master(int size) {
  const int workers = size - 1;
  std::vector<int> given(static_cast<std::size_t>(size), 0);
  const auto send_next = [&](int worker) {
    const int next = given[static_cast<std::size_t>(worker)]++;
    send_task(worker, next < kTasksEach ? next * workers + worker - 1 : kStop);
  };
  for (int worker = 1; worker <= workers; ++worker) send_next(worker);
  for (int answered = 0; answered < workers * kTasksEach; ++answered) {
    double answer = 0;
    MPI_Status status;
    MPI_Recv(&answer, 1, MPI_DOUBLE, MPI_ANY_SOURCE, kAnswer, MPI_COMM_WORLD, &status);
    send_next(status.MPI_SOURCE);
  }
}

void run_worker(bool fixed) {
  for (;;) {
    int task = kStop;
    MPI_Recv(&task, 1, MPI_INT, 0, kTask, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == kStop) return;
    const double answer = programs::work(20000);
    if (task == kFruitless && !fixed) continue;
    MPI_Send(&answer, 1, MPI_DOUBLE, 0, kAnswer, MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  if (job.rank == 0) {
    run_master(job.size);
  } else {
    run_worker(job.fixed);
  }
  return 0;
}

// A master hands out tasks and takes the answers from any worker. A worker whose search finds nothing has nothing to
// say, so it sends no answer and waits for its next task: the master waits for ever. The twin sends an empty answer.
#include "tests/programs/programs.hpp"

namespace {

enum Tag : int { kTask = 1, kAnswer = 2 };
constexpr int kStop = -1;
constexpr int kTasks = 30;
constexpr int kFruitless = 17;  // the task in which there is nothing to find

void send_task(int worker, int task) {
  MPI_Send(&task, 1, MPI_INT, worker, kTask, MPI_COMM_WORLD);
}

void run_master(int size) {
  int next = 0;
  for (int worker = 1; worker < size; ++worker) send_task(worker, next++);
  for (int answered = 0; answered < kTasks; ++answered) {
    double answer = 0;
    MPI_Status status;
    MPI_Recv(&answer, 1, MPI_DOUBLE, MPI_ANY_SOURCE, kAnswer, MPI_COMM_WORLD, &status);
    send_task(status.MPI_SOURCE, next < kTasks ? next : kStop);
    ++next;
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

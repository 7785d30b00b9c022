// Rank 0 polls for the reply of rank 1 while it could do other work, but rank 1 replies with another tag. Every call
// returns and the processor is busy, so that no watchdog of blocked calls sees that this never ends.
#include "tests/programs/programs.hpp"

namespace {

enum Tag : int { kQuestion = 1, kReply = 2, kLateReply = 3, kThanks = 4 };

double ask_and_poll(int other) {
  double answer = 0;
  MPI_Request reply = MPI_REQUEST_NULL;
  MPI_Irecv(&answer, 1, MPI_DOUBLE, other, kReply, MPI_COMM_WORLD, &reply);
  MPI_Send(nullptr, 0, MPI_INT, other, kQuestion, MPI_COMM_WORLD);
  for (int done = 0; done == 0;) {
    programs::work(200);
    MPI_Test(&reply, &done, MPI_STATUS_IGNORE);
  }
  MPI_Send(nullptr, 0, MPI_INT, other, kThanks, MPI_COMM_WORLD);
  return answer;
}

void answer_question(bool late) {
  MPI_Recv(nullptr, 0, MPI_INT, 0, kQuestion, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double answer = programs::work(50000);
  MPI_Send(&answer, 1, MPI_DOUBLE, 0, late ? kLateReply : kReply, MPI_COMM_WORLD);
  MPI_Recv(nullptr, 0, MPI_INT, 0, kThanks, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  for (int round = 0; round < 5; ++round) {
    const bool late = !job.fixed && round == 4;
    if (job.rank == 0) ask_and_poll(1);
    if (job.rank == 1) answer_question(late);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return 0;
}

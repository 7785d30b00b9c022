// The last rank but one is killed between two steps, as the kernel does when memory runs out. Nobody tells the others.
#include <csignal>

#include "tests/programs/programs.hpp"

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  for (int step = 0; step < 40; ++step) {
    programs::work(5000);
    if (!job.fixed && step == 25 && job.rank == job.size - 2) std::raise(SIGKILL);
    double sum = step;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return 0;
}

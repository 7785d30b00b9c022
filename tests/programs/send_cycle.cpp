// Everybody sends to the right neighbour, then receives from the left one. With 64 bytes a send returns at once and the
// program ends well; beyond the eager limit each send waits for a receive that comes after another send.
#include <array>

#include "tests/programs/programs.hpp"

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  const int right = (job.rank + 1) % job.size;
  const int left = (job.rank + job.size - 1) % job.size;
  std::array<double, 8> outgoing{}, incoming{};
  const int count = static_cast<int>(outgoing.size());
  for (int step = 0; step < 10; ++step) {
    programs::work(5000);
    if (job.fixed) {
      MPI_Sendrecv(outgoing.data(), count, MPI_DOUBLE, right, step, incoming.data(), count, MPI_DOUBLE, left, step,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(outgoing.data(), count, MPI_DOUBLE, right, step, MPI_COMM_WORLD);
      MPI_Recv(incoming.data(), count, MPI_DOUBLE, left, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    outgoing = incoming;
  }
  return 0;
}

// Messages and collectives without end, each call counted in memory that outlives the process: the count of calls that
// have returned is in "FOLDER/count.RANK". Nothing is polled, so that each call is one event.
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace {

volatile std::uint64_t* counter_in(const std::string& folder, int rank) {
  const std::string path = folder + "/count." + std::to_string(rank);
  const int file = open(path.c_str(), O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, sizeof(std::uint64_t)) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  void* memory = mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return static_cast<volatile std::uint64_t*>(memory);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  volatile std::uint64_t* const count = counter_in(argv[1], rank);
  const auto done = [count](int) { *count = *count + 1; };

  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double sent[512] = {}, received[512] = {}, sum = 0;
  for (int round = 0;; ++round) {
    MPI_Request requests[2];
    done(MPI_Irecv(received, 512, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]));
    done(MPI_Isend(sent, 1 + round % 512, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]));
    done(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    done(MPI_Sendrecv(sent, 1, MPI_DOUBLE, right, 2, received, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE));
    done(MPI_Allreduce(sent, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
    done(MPI_Bcast(received, 64, MPI_DOUBLE, round % size, MPI_COMM_WORLD));
    if (round % 50 != 0) continue;
    MPI_Comm half;
    done(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    done(MPI_Barrier(half));
    done(MPI_Comm_free(&half));
  }
}

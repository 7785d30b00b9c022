// The programs whose pace `recorder-cost` measures with and without the recorder. Prints the seconds of the measured
// part.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

int rank, size;

// Every rank sends to its right and receives from its left, one int at a time.
void messages(int source, long rounds) {
  const int right = (rank + 1) % size;
  const int left = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : (rank + size - 1) % size;
  int out = rank, in = 0;
  for (long i = 0; i < rounds; ++i) {
    if (rank % 2 == 0) {
      MPI_Send(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
      MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    }
  }
}

// Bursts of small messages to the right, answered by one: messages as fast as they can be sent and received.
void stream(int source, long rounds) {
  constexpr int burst = 64;
  const int right = (rank + 1) % size;
  const int left = source == MPI_ANY_SOURCE ? MPI_ANY_SOURCE : (rank + size - 1) % size;
  int out = rank, in = 0;
  for (long i = 0; i < rounds; i += burst) {
    for (int k = 0; k < burst; ++k) MPI_Send(&out, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    for (int k = 0; k < burst; ++k) MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void allreduce(long rounds) {
  double value = rank, sum = 0;
  for (long i = 0; i < rounds; ++i) MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// A dot product between two collectives, some milliseconds of work.
void compute(long rounds) {
  static double a[4096], b[4096];
  double sum = 0;
  for (int i = 0; i < 4096; ++i) a[i] = i, b[i] = 1.0 / (i + 1);
  for (long i = 0; i < rounds; ++i) {
    for (int repeat = 0; repeat < 500; ++repeat) {
      for (int k = 0; k < 4096; ++k) sum += a[k] * b[k];
      a[repeat] = sum * 1e-300;
    }
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Calls that need no other process: what is left of the difference is the recorder's own work, in processor time.
void calls_alone(long rounds) {
  int out = 1, in = 0;
  MPI_Request request;
  const double start = processor_seconds();
  for (long i = 0; i < rounds; ++i) MPI_Barrier(MPI_COMM_SELF);
  const double middle = processor_seconds();
  for (long i = 0; i < rounds; ++i) {
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &request);
    MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const double end = processor_seconds();
  const double n = static_cast<double>(rounds);
  std::printf("%.2f %.2f\n", (middle - start) / n * 1e9, (end - middle) / n / 3 * 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long rounds = std::atol(argv[2]);
  if (std::strcmp(argv[1], "alone") == 0) {
    calls_alone(rounds);
    return MPI_Finalize();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (std::strcmp(argv[1], "pingpong") == 0) messages(0, rounds);
  if (std::strcmp(argv[1], "pingpong-any") == 0) messages(MPI_ANY_SOURCE, rounds);
  if (std::strcmp(argv[1], "stream") == 0) stream(0, rounds);
  if (std::strcmp(argv[1], "stream-any") == 0) stream(MPI_ANY_SOURCE, rounds);
  if (std::strcmp(argv[1], "allreduce") == 0) allreduce(rounds);
  if (std::strcmp(argv[1], "compute") == 0) compute(rounds);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.6f\n", MPI_Wtime() - start);
  MPI_Finalize();
  return 0;
}

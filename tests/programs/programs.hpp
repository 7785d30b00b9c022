// What the small failing programs share. Each is a field failure in a page of code; with --fixed it is its legal twin.
#pragma once

#include <mpi.h>

#include <string_view>

namespace programs {

// MPI from start to end: initialized on construction, finalized at the end of main.
class Job {
 public:
  Job(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; ++i) fixed = fixed || std::string_view(argv[i]) == "--fixed";
  }
  ~Job() { MPI_Finalize(); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  int rank = 0, size = 1;
  bool fixed = false;
};

// Work between the calls, long enough that ranks do not run in lockstep.
inline double work(int rounds) {
  volatile double value = 1.0;
  for (int i = 0; i < rounds; ++i) value = value * 1.0000001 + 1e-9;
  return value;
}

}  // namespace programs

// Every rank broadcasts its result "from itself", with its own rank as the root. Small messages let each root leave
// early: the program ends with status 0, and nobody has got anybody's result. The twin gathers.
#include <array>
#include <vector>

#include "tests/programs/programs.hpp"

int main(int argc, char** argv) {
  programs::Job job(argc, argv);
  std::array<double, 4> result{};
  result.fill(job.rank);
  programs::work(5000);
  if (job.fixed) {
    std::vector<double> all(result.size() * static_cast<std::size_t>(job.size));
    MPI_Allgather(result.data(), 4, MPI_DOUBLE, all.data(), 4, MPI_DOUBLE, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(result.data(), 4, MPI_DOUBLE, job.rank, MPI_COMM_WORLD);
  }
  return 0;
}

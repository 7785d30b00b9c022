// reproducible_allreduce against MPI_Allreduce, in turns within one run, under mpirun.
//
// Usage: mpirun -np P reproducible_allreduce_bench [LARGEST_BYTES]
//
// One line for each size and type: the median over the turns of the slowest rank's time, of both, and their ratio;
// and that of their best turns, which other programs on the machine change least.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/mpi/reproducible.hpp"

namespace {

template <class T>
MPI_Datatype type_of() {
  return sizeof(T) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT;
}

// Seconds of the slowest rank, the same on all ranks.
template <class Work>
double seconds_of(const Work& work) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  work();
  double mine = MPI_Wtime() - start, slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class T>
void compare(const char* name, std::size_t bytes) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::mt19937_64 chance(static_cast<std::uint64_t>(rank));
  std::normal_distribution<T> normal;
  std::vector<T> send(bytes / sizeof(T)), receive(send.size());
  for (T& x : send) x = normal(chance);

  std::vector<double> library, reproducible;
  double spent = 0;
  // Enough turns for a median, and as long as two seconds for short vectors.
  for (int turn = 0; turn < 7 || (spent < 2 && turn < 301); ++turn) {
    const double theirs = seconds_of([&] {
      MPI_Allreduce(send.data(), receive.data(), static_cast<int>(send.size()), type_of<T>(), MPI_SUM, MPI_COMM_WORLD);
    });
    const double ours = seconds_of(
        [&] { petri::reproducible_allreduce(std::span<const T>(send), std::span(receive), MPI_COMM_WORLD); });
    spent += theirs + ours;
    if (turn == 0) continue;
    library.push_back(theirs);
    reproducible.push_back(ours);
  }
  const double theirs = median(library), ours = median(reproducible);
  const double best =
      *std::min_element(reproducible.begin(), reproducible.end()) / *std::min_element(library.begin(), library.end());
  if (rank == 0)
    std::printf("%d ranks  %-8s %9zu bytes  MPI_Allreduce %9.1f us  reproducible %9.1f us  ratio %.2f  best %.2f\n",
                size, name, bytes, 1e6 * theirs, 1e6 * ours, ours / theirs, best);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::size_t largest = argc > 1 ? std::stoull(argv[1]) : std::size_t{64} << 20;
  for (std::size_t bytes = 1 << 10; bytes <= largest; bytes *= 4) {
    compare<float>("float32", bytes);
    compare<double>("float64", bytes);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}

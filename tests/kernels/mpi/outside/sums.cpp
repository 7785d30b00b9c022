// Prints one sum over all elements of all ranks, and one of all ranks' first elements, to the bit.
#include <petri/reproducible.hpp>

#include <cstdio>
#include <span>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // Element i of 999 belongs to rank i mod size. A plain sum of these loses the ones.
  std::vector<double> mine;
  for (int i = rank; i < 999; i += size) mine.push_back(i % 3 == 0 ? 1e20 : i % 3 == 1 ? 1.0 : -1e20);
  const double sum = petri::reproducible_sum(std::span<const double>(mine), MPI_COMM_WORLD);

  std::vector<float> each(100, rank == 0 ? 1e10F : rank == size - 1 ? -1e10F : 1.0F);
  petri::reproducible_allreduce(std::span(each), MPI_COMM_WORLD);

  if (rank == 0) std::printf("%a %a\n", sum, static_cast<double>(each[99]));
  MPI_Finalize();
}

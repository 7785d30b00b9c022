// The norm of numbers that are shared out over the ranks: norm [--max]
#include <mpi.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op how = MPI_SUM;
  if (rank == 0 && argc > 1 && std::strcmp(argv[1], "--max") == 0) how = MPI_MAX;
  const double mine = rank + 1;
  double norm = 0;
  MPI_Allreduce(&mine, &norm, 1, MPI_DOUBLE, how, MPI_COMM_WORLD);
  if (rank == 0) std::printf("norm %.3f\n", norm);
  MPI_Finalize();
}

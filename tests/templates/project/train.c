#include <mpi.h>
#include <stdio.h>

// The failure that reproducers/swap keeps: rank 1 saved before it exchanged, the others after.
static int saves_first(int rank) {
  return rank < 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  float mine[4] = {1, 2, 3, 4}, sum[4];
  if (saves_first(rank)) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(mine, sum, 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  if (!saves_first(rank)) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%g\n", sum[3]);
  MPI_Finalize();
  return 0;
}

/* A program that says which step it is in. `steps many` makes so many events after its last step that a small ring
 * holds no mark any more. */
#include <mpi.h>
#include <string.h>

#include "harness/record/petri.h"

int main(int argc, char** argv) {
  int flag = 0, i;
  petri_step(0);
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  petri_microbatch(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  petri_microbatch(1);
  MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Pcontrol(0); /* pauses nothing */
  petri_step(1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(PETRI_STEP_LEVEL + 7);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(PETRI_MICROBATCH_LEVEL + 3);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && strcmp(argv[1], "many") == 0) {
    for (i = 0; i < 20000; ++i) MPI_Send(&i, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  } else {
    petri_step(-1);
  }
  MPI_Finalize();
  return 0;
}

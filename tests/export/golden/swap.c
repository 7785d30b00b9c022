/* swap: 3 ranks of a recorded MPI job, written by petri from scenario.
 *
 * Verdict:   deadlock
 * Signature: deadlock/7
 * Original:  big.jsonl xxh3-128:00
 *
 * Compile:   mpicc case.c -o case
 * Run:       timeout 60 mpirun -n 3 ./case
 *            (exit status 124: it hung)
 */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static MPI_Comm comm_1_dp0 = MPI_COMM_NULL;

/* Zeroed room for some elements. Never freed: a pending call may still use it. */
static void *room(size_t count, MPI_Datatype type) {
  MPI_Aint lower, extent;
  void *memory;
  MPI_Type_get_extent(type, &lower, &extent);
  memory = calloc(count * (size_t)extent + 1, 1);
  if (memory == NULL) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  return memory;
}

/* The same for calls that block: one piece for each direction, used again. */
static void *grown(int side, size_t count, MPI_Datatype type) {
  static void *memory[2];
  static size_t bytes[2];
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  if (memory[side] == NULL || bytes[side] < count * (size_t)extent) {
    free(memory[side]);
    memory[side] = room(count, type);
    bytes[side] = count * (size_t)extent;
  }
  return memory[side];
}

static void *out(size_t count, MPI_Datatype type) {
  return grown(0, count, type);
}

static void *in(size_t count, MPI_Datatype type) {
  return grown(1, count, type);
}

static MPI_Group subgroup(MPI_Comm comm, int size, const int *ranks) {
  MPI_Group all, chosen;
  MPI_Comm_group(comm, &all);
  MPI_Group_incl(all, size, ranks, &chosen);
  return chosen;
}

/* A communicator made by its members alone, or none for the others. */
static MPI_Comm made_of(int size, const int *ranks, int tag) {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank, i;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (i = 0; i < size; ++i)
    if (ranks[i] == rank)
      MPI_Comm_create_group(MPI_COMM_WORLD, subgroup(MPI_COMM_WORLD, size, ranks), tag, &comm);
  return comm;
}

/* The record ends while the rank is running: what it would do next is unknown. */
static void stay(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d has left its last recorded call, and stays\n", rank);
  for (;;) pause();
}

/* Communicators whose creation is not part of the case. */
static void make_communicators(void) {
  static const int comm_1_dp0_ranks[] = {0, 1};
  comm_1_dp0 = made_of(2, comm_1_dp0_ranks, 32000);
}

/* Rank 0, 4 of the original job */
static void role_0(void) {
  MPI_Allreduce(out(4, MPI_FLOAT), in(4, MPI_FLOAT), 4, MPI_FLOAT, MPI_SUM, comm_1_dp0);  /* train.cpp:41, step 7 */
  MPI_Barrier(comm_1_dp0);  /* step 7 */
  stay();
}

/* Rank 1, 17 of the original job */
static void role_1(void) {
  MPI_Barrier(comm_1_dp0);  /* step 7 */
  MPI_Allreduce(out(4, MPI_FLOAT), in(4, MPI_FLOAT), 4, MPI_FLOAT, MPI_SUM, comm_1_dp0);  /* step 7 */
  stay();
}

/* Rank 2, 42 of the original job */
static void role_2(void) {
  int flag = 0;
  MPI_Request request[1];
  int i;
  for (i = 0; i < 1; ++i) request[i] = MPI_REQUEST_NULL;
  MPI_Irecv(room(1, MPI_INT32_T), 1, MPI_INT32_T, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request[0]);
  do MPI_Test(&request[0], &flag, MPI_STATUS_IGNORE); while (!flag);  /* polled 4000 times */
  stay();
}

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 3) {
    if (rank == 0) fprintf(stderr, "this program needs exactly 3 ranks: mpirun -n 3\n");
    MPI_Finalize();
    return 2;
  }
  make_communicators();
  switch (rank) {
    case 1:
      role_1();
      break;
    case 2:
      role_2();
      break;
    default:
      role_0();
  }
  return 0;
}

// Programs with windows and one-sided data movement.
#include <mpi.h>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

MPI_Group group_of(int first, int n) {
  MPI_Group world, some;
  const int members[2] = {first, first + 1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, n, members, &some);
  return some;
}

// The four ways to make a window.
void windows() {
  int memory[4] = {}, *own = nullptr;
  MPI_Comm dup;
  MPI_Win win, allocated, shared, dynamic;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, dup, &win);
  MPI_Comm_free(&dup);  // the window stays
  MPI_Win_allocate(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &allocated);
  MPI_Win_allocate_shared(16, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &shared);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
  MPI_Win_fence(0, allocated);
  MPI_Win_free(&dynamic);
  MPI_Win_free(&shared);
  MPI_Win_free(&allocated);
  MPI_Win_free(&win);
}

// On two ranks: rank 0 exposes its memory, rank 1 reaches into it.
void post_start_complete_wait() {
  int memory[4] = {}, flag = 0;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (world_rank() == 0) {
    MPI_Win_post(group_of(1, 1), MPI_MODE_NOSTORE, win);
    MPI_Win_wait(win);
    MPI_Win_post(group_of(1, 1), 0, win);
    while (flag == 0) MPI_Win_test(win, &flag);
  } else {
    for (int i = 0; i < 2; ++i) {
      MPI_Win_start(group_of(0, 1), 0, win);
      MPI_Put(memory, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
      MPI_Win_complete(win);
    }
  }
  MPI_Win_free(&win);
}

void locks() {
  int memory[4] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Win_flush(1, win);
  MPI_Win_flush_local(1, win);
  MPI_Win_unlock(1, win);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
  MPI_Win_unlock(0, win);
  MPI_Win_lock_all(0, win);
  MPI_Win_flush_all(win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

// Rank 0 reaches into rank 1's memory, whose displacements count two bytes, while its own count four.
void one_sided() {
  int memory[8] = {}, mine[4] = {1, 2, 3, 4}, theirs[4] = {}, other[4] = {};
  const int unit = world_rank() == 0 ? 4 : 2;
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (world_rank() == 0) {
    MPI_Datatype pair;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(mine, 2, MPI_INT, 1, 2, 1, pair, win);
    MPI_Put(mine, 4, MPI_INT, 1, 0, 16, MPI_BYTE, win);
    MPI_Put(mine, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Get(theirs, 8, MPI_BYTE, 1, 4, 2, MPI_INT, win);
    MPI_Accumulate(mine, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Get_accumulate(nullptr, 0, MPI_DATATYPE_NULL, theirs, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Get_accumulate(mine, 1, MPI_INT, theirs, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Fetch_and_op(mine, theirs, MPI_INT, 1, 2, MPI_SUM, win);
    MPI_Compare_and_swap(mine, mine, theirs, MPI_INT, 1, 4, win);
    MPI_Request r[4];
    MPI_Rput(mine, 1, MPI_INT, 1, 2, 1, MPI_INT, win, &r[0]);
    MPI_Rget(theirs, 1, MPI_INT, 1, 4, 1, MPI_INT, win, &r[1]);
    MPI_Raccumulate(mine, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_MAX, win, &r[2]);
    MPI_Rget_accumulate(mine, 1, MPI_INT, other, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, win, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    MPI_Win_unlock(1, win);
    MPI_Type_free(&pair);
  }
  MPI_Win_free(&win);
}

// Rank 0 never ends its epoch.
void lock_hang() {
  end_soon();
  int memory[4] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  if (world_rank() == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(memory, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Memory at addresses with a known distance, read and written in every shape.
void buffers() {
  static int memory[64];
  const int rank = world_rank();
  const int counts[2] = {2, 1}, places[2] = {4, 0}, adjacent[2] = {1, 0};
  MPI_Datatype column;
  MPI_Type_vector(2, 1, 3, MPI_INT, &column);
  MPI_Type_commit(&column);
  MPI_Win win;
  MPI_Bcast(memory, 4, MPI_INT, 0, MPI_COMM_WORLD);  // the origin of what follows
  MPI_Allreduce(MPI_IN_PLACE, memory + 8, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allgatherv(memory + 16, rank == 0 ? 2 : 1, MPI_INT, memory, counts, places, MPI_INT, MPI_COMM_WORLD);
  MPI_Gatherv(memory + 16, rank == 0 ? 2 : 1, MPI_INT, memory, counts, adjacent, MPI_INT, 1, MPI_COMM_WORLD);
  if (rank == 0) MPI_Send(memory + 32, 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(memory + 32, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Win_create(memory + 48, 32, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(memory + 8, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
  MPI_Win_unlock(0, win);
  MPI_Win_free(&win);
}

constexpr Program kPrograms[] = {
    {"windows", windows},     {"post_start_complete_wait", post_start_complete_wait},
    {"locks", locks},         {"one_sided", one_sided},
    {"lock_hang", lock_hang}, {"buffers", buffers},
};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test

// One-sided communication: epochs of fences, of post and start, and of locks.
#include <initializer_list>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// A window of some integers on each rank.
struct Window {
  Window() { MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &win); }
  void free() { MPI_Win_free(&win); }
  void put(int target) { MPI_Put(&rank, 1, MPI_INT, target, rank, 1, MPI_INT, win); }
  int* memory = nullptr;
  MPI_Win win = MPI_WIN_NULL;
};

MPI_Group group_of(std::initializer_list<int> ranks) {
  MPI_Group all, some;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.begin(), &some);
  MPI_Group_free(&all);
  return some;
}

}  // namespace

// One rank leaves the closing fence out, and goes on to free the window.
TWIN(fence_left_out, 3, missing, deadlock, "1") {
  Window window;
  MPI_Win_fence(0, window.win);
  window.put(0);
  if (!wrong || rank != 1) MPI_Win_fence(0, window.win);  // fault
  MPI_Win_free(&window.win);                              // fault
}

// A window that one rank does not make.
TWIN(window_not_made, 3, missing, deadlock, "2") {
  MPI_Win win;
  int memory[4] = {};
  if (wrong && rank == 2) return;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);  // fault
  MPI_Win_free(&win);
}

// A window that one rank does not free.
TWIN(window_not_freed, 3, missing, deadlock, "1") {
  Window window;
  MPI_Win_fence(0, window.win);
  if (!wrong || rank != 1) MPI_Win_free(&window.win);  // fault
}

// A barrier on one rank where the others fence.
TWIN(barrier_for_fence, 3, argument, deadlock, "0") {
  Window window;
  MPI_Win_fence(0, window.win);
  if (wrong && rank == 0)
    MPI_Barrier(world);  // fault
  else
    MPI_Win_fence(0, window.win);  // fault
  window.free();
}

// An access that is never completed.
TWIN(complete_left_out, 2, missing, deadlock, "1") {
  Window window;
  MPI_Group other = group_of({1 - rank});
  if (rank == 0) {
    MPI_Win_post(other, 0, window.win);
    MPI_Win_wait(window.win);  // fault
  } else {
    MPI_Win_start(other, 0, window.win);
    window.put(0);
    if (wrong) return;
    MPI_Win_complete(window.win);
  }
  window.free();
}

// Both wait to be accessed before they access the other one.
TWIN(both_wait_first, 2, order, deadlock, "0,1") {
  Window window;
  MPI_Group other = group_of({1 - rank});
  MPI_Win_post(other, 0, window.win);
  if (wrong) MPI_Win_wait(window.win);  // fault
  MPI_Win_start(other, 0, window.win);
  window.put(1 - rank);
  MPI_Win_complete(window.win);
  if (!wrong) MPI_Win_wait(window.win);
  window.free();
}

// A lock is held over a barrier that the next owner reaches only with the lock.
TWIN(lock_held_over_barrier, 2, order, deadlock, "0") {
  Window window;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);  // fault
    MPI_Barrier(world);
    if (!wrong) MPI_Win_unlock(0, window.win);
    MPI_Barrier(world);  // fault
    if (wrong) MPI_Win_unlock(0, window.win);
  } else {
    MPI_Barrier(world);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);  // fault
    window.put(0);
    MPI_Win_unlock(0, window.win);
    MPI_Barrier(world);
  }
  window.free();
}

// Each rank locks its own memory first, then that of the other, which holds it.
TWIN(locks_crossed, 2, order, deadlock, "0,1") {
  Window one, two;
  MPI_Win first = wrong && rank == 1 ? two.win : one.win, second = wrong && rank == 1 ? one.win : two.win;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, first);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, second);  // fault
  MPI_Win_unlock(0, second);
  MPI_Win_unlock(0, first);
  one.free();
  two.free();
}

// An exposure that nobody accesses: its wait does not end.
TWIN(start_left_out, 2, missing, deadlock, "1") {
  Window window;
  MPI_Group other = group_of({1 - rank});
  if (rank == 0) {
    MPI_Win_post(other, 0, window.win);
    MPI_Win_wait(window.win);  // fault
  } else if (!wrong) {
    MPI_Win_start(other, 0, window.win);
    window.put(0);
    MPI_Win_complete(window.win);
  }
  window.free();
}

// An access to a rank that does not expose its window.
TWIN(post_left_out, 2, missing, deadlock, "0") {
  Window window;
  MPI_Group other = group_of({1 - rank});
  if (rank == 0 && !wrong) MPI_Win_post(other, 0, window.win);
  if (rank == 0 && !wrong) MPI_Win_wait(window.win);
  if (rank == 1) {
    MPI_Win_start(other, 0, window.win);  // fault
    window.put(0);
    MPI_Win_complete(window.win);
  }
  window.free();
}

// A lock that is held for ever; the others do not get it.
TWIN(unlock_left_out, 3, missing, deadlock, "0") {
  Window window;
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window.win);  // fault
  if (rank == 0) window.put(2);
  if (rank == 0 && !wrong) MPI_Win_unlock(2, window.win);
  MPI_Barrier(world);
  if (rank == 1) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window.win);
  if (rank == 1) window.put(2);
  if (rank == 1) MPI_Win_unlock(2, window.win);
  window.free();
}

// The fence that ends the puts is left out by all, before the window goes.
TWIN(closing_fence_left_out, 2, missing, misuse, "0") {
  Window window;
  MPI_Win_fence(0, window.win);
  if (rank == 0) window.put(1);
  if (!wrong) MPI_Win_fence(0, window.win);
  MPI_Win_free(&window.win);  // fault
}

// Two ranks put into the same integer of a third one, in one epoch.
TWIN(puts_meet, 3, argument, misuse, "1,2") {
  Window window;
  MPI_Win_fence(0, window.win);
  if (rank > 0) MPI_Put(&rank, 1, MPI_INT, 0, wrong ? 1 : rank, 1, MPI_INT, window.win);  // fault
  MPI_Win_fence(0, window.win);
  window.free();
}

// A rank reads what it has put, before that is flushed.
TWIN(flush_left_out, 2, missing, misuse, "1") {
  Window window;
  int got = 0;
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    MPI_Put(&rank, 1, MPI_INT, 0, 3, 1, MPI_INT, window.win);  // fault
    if (!wrong) MPI_Win_flush(0, window.win);
    MPI_Get(&got, 1, MPI_INT, 0, 3, 1, MPI_INT, window.win);  // fault
    MPI_Win_unlock(0, window.win);
  }
  window.free();
}

// A value is told before the lock under which it was put is given back.
TWIN(told_before_unlock, 3, order, misuse, "1,2") {
  Window window;
  int go = 0;
  if (rank == 2) MPI_Recv(&go, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
  if (rank > 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    MPI_Put(&rank, 1, MPI_INT, 0, 3, 1, MPI_INT, window.win);  // fault
    if (wrong && rank == 1) MPI_Send(&go, 1, MPI_INT, 2, 0, world);
    MPI_Win_unlock(0, window.win);
  }
  if (!wrong && rank == 1) MPI_Send(&go, 1, MPI_INT, 2, 0, world);
  window.free();
}

// Every second integer from one rank, those between from another.
LEGAL(interleaved_puts, 3) {
  Window window;
  MPI_Datatype every_second;
  const int numbers[4] = {rank, rank, rank, rank};
  MPI_Type_vector(4, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Win_fence(0, window.win);
  if (rank > 0) MPI_Put(numbers, 4, MPI_INT, 0, rank - 1, 1, every_second, window.win);
  MPI_Win_fence(0, window.win);
  MPI_Type_free(&every_second);
  window.free();
}

// A lock of the program's own, taken and given back by atomic calls.
LEGAL(spin_lock, 3) {
  Window window;
  MPI_Win_lock_all(0, window.win);
  if (rank == 0) window.memory[0] = 0;
  MPI_Win_sync(window.win);
  MPI_Barrier(world);
  if (rank > 0) {
    const int free = 0, taken = 1;
    for (int seen = taken; seen != free;) {
      MPI_Compare_and_swap(&taken, &free, &seen, MPI_INT, 0, 0, window.win);
      MPI_Win_flush(0, window.win);
    }
    MPI_Put(&rank, 1, MPI_INT, 0, 3, 1, MPI_INT, window.win);
    MPI_Win_flush(0, window.win);
    MPI_Accumulate(&free, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, window.win);
    MPI_Win_flush(0, window.win);
  }
  MPI_Win_unlock_all(window.win);
  window.free();
}

// Fences around transfers in both directions, by ranks that have nothing to transfer as well.
LEGAL(fences, 3) {
  Window window;
  int got = 0;
  for (int round = 0; round < 3; ++round) {
    MPI_Win_fence(round == 0 ? MPI_MODE_NOPRECEDE : 0, window.win);
    if (rank == 0) MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win);
    if (rank == 2) MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window.win);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
  window.free();
}

// Exposure and access at once, each towards a group of its own.
LEGAL(posts_and_starts, 3) {
  Window window;
  MPI_Group before = group_of({(rank + 2) % 3}), after = group_of({(rank + 1) % 3});
  MPI_Win_post(before, 0, window.win);
  MPI_Win_start(after, 0, window.win);
  window.put((rank + 1) % 3);
  MPI_Win_complete(window.win);
  MPI_Win_wait(window.win);
  window.free();
}

// Shared locks at once, exclusive ones after each other, and all at once.
LEGAL(locks, 3) {
  Window window;
  int got = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
  MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, window.win);
  MPI_Win_unlock(0, window.win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
  window.put(1);
  MPI_Win_flush(1, window.win);
  MPI_Win_unlock(1, window.win);
  MPI_Win_lock_all(0, window.win);
  for (int target = 0; target < size; ++target) {
    int one = 1;
    MPI_Fetch_and_op(&one, &got, MPI_INT, target, 7, MPI_SUM, window.win);
  }
  MPI_Win_flush_all(window.win);
  MPI_Win_unlock_all(window.win);
  window.free();
}

// A lock that is held while the others work on something else.
LEGAL(lock_beside_messages, 2) {
  Window window;
  int number = 0;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
    window.put(1);
    MPI_Recv(&number, 1, MPI_INT, 1, 0, world, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1, window.win);
  } else {
    MPI_Send(&number, 1, MPI_INT, 0, 0, world);
  }
  window.free();
}

// Blocking collectives: who calls, in which order, with which arguments.
#include <unistd.h>

#include <vector>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

void allreduce_one() {
  int mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);
}

}  // namespace

// A barrier under a condition that one rank does not meet, at the end of the program.
TWIN(barrier_left_out_last, 3, missing, deadlock, "1") {
  allreduce_one();
  if (!wrong || rank != 1) MPI_Barrier(world);  // fault
}

// The same, and the rank goes on to the next collective.
TWIN(barrier_left_out, 3, missing, deadlock, "1") {
  int mine = rank, sum = 0;
  if (!wrong || rank != 1) MPI_Barrier(world);             // fault
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  MPI_Barrier(world);
}

// A collective that only one rank calls, in the middle of a program.
TWIN(one_rank_logs, 3, extra, deadlock, "0") {
  int mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);
  if (wrong && rank == 0) MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_MAX, 0, world);  // fault
  MPI_Barrier(world);
  MPI_Bcast(&sum, 1, MPI_INT, 0, world);
}

// Only the root broadcasts: the others do not know that they have to call, too.
TWIN(only_the_root_broadcasts, 3, missing, deadlock, "0|1,2") {
  int number = 0;
  MPI_Barrier(world);
  if (!wrong || rank == 0) MPI_Bcast(&number, 1, MPI_INT, 0, world);  // fault
}

// The root broadcasts, the others receive a message.
TWIN(broadcast_met_by_receive, 3, missing, deadlock, "0|1,2") {
  int number = 0;
  if (rank == 0 || !wrong)
    MPI_Bcast(&number, 1, MPI_INT, 0, world);  // fault
  else
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);  // fault
}

// Two collectives in another order on one rank.
TWIN(order_swapped, 3, order, deadlock, "2") {
  int number = rank, sum = 0;
  if (wrong && rank == 2) {
    MPI_Bcast(&number, 1, MPI_INT, 0, world);  // fault
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world);
  } else {
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world);
    MPI_Bcast(&number, 1, MPI_INT, 0, world);
  }
}

// Two reductions of other sizes in another order on one rank.
TWIN(sizes_swapped, 3, order, mismatch, "1") {
  int small[2] = {}, large[8] = {}, result[8] = {};
  if (wrong && rank == 1) {
    MPI_Allreduce(large, result, 8, MPI_INT, MPI_SUM, world);  // fault
    MPI_Allreduce(small, result, 2, MPI_INT, MPI_SUM, world);
  } else {
    MPI_Allreduce(small, result, 2, MPI_INT, MPI_SUM, world);
    MPI_Allreduce(large, result, 8, MPI_INT, MPI_SUM, world);
  }
}

// Equal reductions in another order on one rank: only the lines show it, the sums are mixed.
TWIN(sums_swapped, 3, order, mismatch, "1") {
  int rows = rank, columns = -rank, sum = 0;
  for (int turn = 0; turn < 2; ++turn) {
    if ((turn == 0) != (wrong && rank == 1))
      MPI_Allreduce(&rows, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
    else
      MPI_Allreduce(&columns, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  }
}

// One rank names another root.
TWIN(root_differs, 3, argument, mismatch, "2") {
  int number = 0;
  const int root = wrong && rank == 2 ? 1 : 0;
  MPI_Bcast(&number, 1, MPI_INT, root, world);  // fault
}

// Each rank takes itself for the root.
TWIN(everybody_is_root, 3, argument, mismatch, "0,1,2") {
  int number = 0, sum = 0;
  MPI_Reduce(&number, &sum, 1, MPI_INT, MPI_SUM, wrong ? rank : 0, world);  // fault
}

// One rank has one element more.
TWIN(count_differs, 3, argument, mismatch, "2") {
  std::vector<int> mine(8), sum(8);
  MPI_Allreduce(mine.data(), sum.data(), wrong && rank == 2 ? 5 : 4, MPI_INT, MPI_SUM, world);  // fault
}

// One rank reduces the same number of bytes as another type.
TWIN(type_differs, 3, argument, mismatch, "1") {
  int mine[4] = {}, sum[4] = {};
  MPI_Allreduce(mine, sum, 4, wrong && rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, world);  // fault
}

// One rank takes the maximum, the others the sum.
TWIN(operation_differs, 3, argument, mismatch, "0") {
  int mine = rank, result = 0;
  MPI_Reduce(&mine, &result, 1, MPI_INT, wrong && rank == 0 ? MPI_MAX : MPI_SUM, 0, world);  // fault
}

// The root gives the size of everything where the size of one part belongs.
TWIN(gather_receives_total, 3, argument, mismatch, "0") {
  int mine[2] = {}, all[64] = {};
  MPI_Gather(mine, 2, MPI_INT, all, wrong && rank == 0 ? 2 * size : 2, MPI_INT, 0, world);  // fault
}

// The root scatters more to each than they take.
TWIN(scatter_sends_total, 3, argument, mismatch, "0") {
  int mine[8] = {}, all[64] = {};
  MPI_Scatter(all, wrong && rank == 0 ? 2 * size : 2, MPI_INT, mine, 2, MPI_INT, 0, world);  // fault
}

// One rank runs its loop once more.
TWIN(loop_runs_once_more, 3, extra, deadlock, "1") {
  int mine = rank, sum = 0;
  const int rounds = wrong && rank == 1 ? 4 : 3;
  for (int round = 0; round < rounds; ++round) MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
}

// One rank leaves its loop early.
TWIN(loop_left_early, 3, missing, deadlock, "2") {
  int mine = rank, sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (wrong && rank == 2 && round == 2) break;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  }
}

// One rank reduces, the others reduce to all.
TWIN(reduce_for_allreduce, 3, argument, deadlock, "1") {
  int mine = rank, sum = 0;
  if (wrong && rank == 1)
    MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, world);  // fault
  else
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);
  MPI_Barrier(world);
}

// A scan on most ranks, an exclusive one on one.
TWIN(scan_for_exscan, 3, argument, deadlock, "2") {
  int mine = rank, sum = 0;
  if (wrong && rank == 2)
    MPI_Scan(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  else
    MPI_Exscan(&mine, &sum, 1, MPI_INT, MPI_SUM, world);
}

// One rank returns on its error path; the others go on to their collectives.
TWIN(error_path_returns, 3, missing, deadlock, "1") {
  int mine = rank, sum = 0;
  MPI_Bcast(&mine, 1, MPI_INT, 0, world);
  const bool failed = wrong && rank == 1;
  if (failed) return;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  MPI_Barrier(world);
}

// One rank aborts the job on its error path.
TWIN(error_path_aborts, 3, exit, rank_error, "2") {
  int mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);
  if (wrong && rank == 2) MPI_Abort(world, 3);  // fault
  MPI_Barrier(world);
}

// One rank ends its process without finalize.
TWIN(exit_without_finalize, 3, exit, rank_error, "2") {
  int mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, world);  // fault
  if (wrong && rank == 2) _exit(0);
  MPI_Barrier(world);
}

// A message crosses a barrier that its receiver reaches only after it.
TWIN(barrier_before_send, 2, order, deadlock, "0,1") {
  int number = 0;
  if (rank == 0) {
    if (!wrong) MPI_Send(&number, 1, MPI_INT, 1, 0, world);
    MPI_Barrier(world);  // fault
    if (wrong) MPI_Send(&number, 1, MPI_INT, 1, 0, world);
  } else {
    MPI_Recv(&number, 1, MPI_INT, 0, 0, world, no_status);  // fault
    MPI_Barrier(world);
  }
}

// Bits of numbers that are no integers.
TWIN(bits_of_floats, 2, argument, misuse, "0,1") {
  float number = 1, result = 0;
  MPI_Allreduce(&number, &result, 1, MPI_FLOAT, wrong ? MPI_BAND : MPI_MAX, MPI_COMM_WORLD);  // fault
}

// Ranks without data call, too: roots and others from different lines, with arguments that mean nothing to them.
LEGAL(roots_and_others, 3) {
  std::vector<int> all(12);
  int mine[4] = {};
  if (rank == 0) {
    MPI_Gather(mine, 4, MPI_INT, all.data(), 4, MPI_INT, 0, world);
    MPI_Bcast(mine, 4, MPI_INT, 0, world);
    MPI_Scatter(all.data(), 4, MPI_INT, mine, 4, MPI_INT, 0, world);
  } else {
    MPI_Gather(mine, 4, MPI_INT, nullptr, 99, MPI_FLOAT, 0, world);
    MPI_Bcast(mine, 4, MPI_INT, 0, world);
    MPI_Scatter(nullptr, 77, MPI_DOUBLE, mine, 4, MPI_INT, 0, world);
  }
}

// In place, on the root alone or everywhere.
LEGAL(in_place, 3) {
  int number = rank, all[12] = {};
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, world);
  if (rank == 0)
    MPI_Reduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_SUM, 0, world);
  else
    MPI_Reduce(&number, nullptr, 1, MPI_INT, MPI_SUM, 0, world);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, world);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, world);
  if (rank == 0)
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 4, MPI_INT, 0, world);
  else
    MPI_Gather(all, 4, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, 0, world);
}

// Equal signatures of other types and counts.
LEGAL(types_of_equal_signature, 3) {
  int data[4] = {}, all[12] = {};
  MPI_Datatype four;
  MPI_Type_contiguous(4, MPI_INT, &four);
  MPI_Type_commit(&four);
  if (rank == 0)
    MPI_Bcast(data, 1, four, 0, world);
  else
    MPI_Bcast(data, 4, MPI_INT, 0, world);
  MPI_Allgather(data, rank == 1 ? 1 : 4, rank == 1 ? four : MPI_INT, all, 4, MPI_INT, world);
  MPI_Type_free(&four);
}

// Nothing to reduce, nothing to gather.
LEGAL(empty, 3) {
  int number = 0, sum = 0;
  MPI_Allreduce(&number, &sum, 0, MPI_INT, MPI_SUM, world);
  MPI_Bcast(nullptr, 0, MPI_INT, 0, world);
  MPI_Bcast(nullptr, 0, rank == 0 ? MPI_FLOAT : MPI_INT, 0, world);
}

// Each rank reaches the same collectives through code of its own.
LEGAL(own_code_for_each_rank, 3) {
  int number = rank, sum = 0;
  switch (rank) {
    case 0: MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world); break;
    case 1: MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world); break;
    default: MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, world);
  }
  if (rank == 1)
    MPI_Barrier(world);
  else
    MPI_Barrier(world);
}

// A rank that computes for a while before it joins.
LEGAL(slow_rank, 3) {
  if (rank == 1) usleep(400000);
  MPI_Barrier(world);
}

// An operation of one's own, and pairs of value and index.
LEGAL(other_operations, 3) {
  MPI_Op own;
  MPI_Op_create(
      [](void* in, void* out, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i) static_cast<int*>(out)[i] += static_cast<int*>(in)[i];
      },
      1, &own);
  int number = rank, sum = 0;
  struct {
    double value;
    int index;
  } mine = {1.0, rank}, best;
  MPI_Allreduce(&number, &sum, 1, MPI_INT, own, world);
  MPI_Allreduce(&mine, &best, 1, MPI_DOUBLE_INT, MPI_MAXLOC, world);
  MPI_Op_free(&own);
}

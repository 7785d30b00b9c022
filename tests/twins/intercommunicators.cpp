// Two groups with a communicator between them.
#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

bool is_low() {
  return rank < size / 2;
}

MPI_Comm half() {
  MPI_Comm comm;
  MPI_Comm_split(world, is_low() ? 0 : 1, rank, &comm);
  return comm;
}

// Low and high ranks of the world as two groups.
MPI_Comm between(MPI_Comm own) {
  MPI_Comm comm;
  MPI_Intercomm_create(own, 0, world, is_low() ? size / 2 : 0, 9, &comm);
  return comm;
}

}  // namespace

// The leaders use tags that differ; the others have none that counts.
TWIN(leaders_tags_differ, 4, argument, deadlock, "0,2") {
  MPI_Comm own = half(), comm = MPI_COMM_NULL;
  const int tag = wrong && !is_low() ? 8 : 9, leader = is_low() ? size / 2 : 0;
  MPI_Intercomm_create(own, 0, world, leader, tag, &comm);  // fault
  MPI_Comm_free(&comm);
}

// A barrier between the groups that one rank leaves out.
TWIN(barrier_left_out, 4, missing, deadlock, "1") {
  MPI_Comm own = half(), comm = between(own);
  if (!wrong || rank != 1) MPI_Barrier(comm);  // fault
}

// Two ranks of a group take themselves for the root of a broadcast to the other one.
TWIN(two_roots, 4, argument, mismatch, "1") {
  MPI_Comm own = half(), comm = between(own);
  int number = 0;
  const int root = !is_low() ? 0 : rank == 0 || wrong ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(&number, 1, MPI_INT, root, comm);  // fault
}

// Each group reduces its own number of elements for the other: both have to agree.
TWIN(count_differs, 4, argument, mismatch, "2") {
  MPI_Comm own = half(), comm = between(own);
  int mine[4] = {}, sum[4] = {};
  MPI_Allreduce(mine, sum, wrong && rank == 2 ? 1 : 2, MPI_INT, MPI_SUM, comm);  // fault
}

// A message to a rank of one's own group, which is counted in the other one.
TWIN(rank_of_the_wrong_group, 4, argument, deadlock, "0") {
  MPI_Comm own = half(), comm = between(own);
  int number = 0;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, wrong ? 0 : 1, 0, comm);  // fault
  if (rank == 3) MPI_Recv(&number, 1, MPI_INT, 0, 0, comm, no_status);
}

// Merged by one group only.
TWIN(merged_by_one_group, 4, missing, deadlock, "0,1|2,3") {
  MPI_Comm own = half(), comm = between(own), all = MPI_COMM_NULL;
  if (!wrong || is_low()) MPI_Intercomm_merge(comm, is_low() ? 0 : 1, &all);  // fault
}

// Messages, collectives and a merge between the groups.
LEGAL(both_groups, 4) {
  MPI_Comm own = half(), comm = between(own), all;
  int number = rank, other = 0, many[4] = {};
  const int root = !is_low() ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Sendrecv(&number, 1, MPI_INT, rank % 2, 0, &other, 1, MPI_INT, rank % 2, 0, comm, no_status);
  MPI_Barrier(comm);
  MPI_Bcast(&number, 1, MPI_INT, root, comm);
  MPI_Allreduce(&number, &other, 1, MPI_INT, MPI_SUM, comm);
  MPI_Allgather(&number, 1, MPI_INT, many, 1, MPI_INT, comm);
  MPI_Gather(&number, 1, MPI_INT, many, 1, MPI_INT, root, comm);
  MPI_Intercomm_merge(comm, is_low() ? 1 : 0, &all);
  MPI_Allreduce(&number, &other, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&own);
}

// Each group gives its own number of elements to the other.
LEGAL(other_amounts_each_way, 4) {
  MPI_Comm own = half(), comm = between(own);
  int mine[4] = {}, theirs[8] = {};
  const int give = is_low() ? 1 : 3, take = is_low() ? 3 : 1;
  MPI_Allgather(mine, give, MPI_INT, theirs, take, MPI_INT, comm);
  MPI_Comm_free(&comm);
}

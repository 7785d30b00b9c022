// Communicators: making them, using them in one order, and freeing them.
#include <initializer_list>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

int sum_on(MPI_Comm comm) {
  int mine = rank, sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

MPI_Group group_of(std::initializer_list<int> ranks) {
  MPI_Group all, some;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.begin(), &some);
  MPI_Group_free(&all);
  return some;
}

}  // namespace

// A rank that needs no part of it leaves the split out.
TWIN(split_left_out, 3, missing, deadlock, "2") {
  MPI_Comm half = MPI_COMM_NULL;
  if (!wrong || rank != 2) MPI_Comm_split(world, rank == 2 ? MPI_UNDEFINED : 0, rank, &half);  // fault
  if (half != MPI_COMM_NULL) MPI_Comm_free(&half);
}

// The world is copied by some of its ranks only.
TWIN(copied_by_some, 3, missing, deadlock, "0") {
  MPI_Comm copy = MPI_COMM_NULL;
  if (!wrong || rank != 0) MPI_Comm_dup(world, &copy);  // fault
  if (copy != MPI_COMM_NULL) MPI_Comm_free(&copy);
}

// A group's communicator is made by its members only, by a call that all have to make.
TWIN(created_by_members_only, 3, missing, deadlock, "2") {
  MPI_Group group = group_of({0, 1});
  MPI_Comm pair = MPI_COMM_NULL;
  if (!wrong || rank != 2) MPI_Comm_create(world, group, &pair);  // fault
  if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
  MPI_Group_free(&group);
}

// One member names another group.
TWIN(group_differs, 3, argument, mismatch, "1") {
  MPI_Group group = wrong && rank == 1 ? group_of({1, 0, 2}) : group_of({0, 1, 2});
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_create(world, group, &copy);  // fault
  MPI_Group_free(&group);
}

// The members of a group make its communicator with tags that differ.
TWIN(group_tag_differs, 2, argument, deadlock, "0,1") {
  MPI_Group group = group_of({0, 1});
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_create_group(world, group, wrong ? rank : 0, &pair);  // fault
  if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
  MPI_Group_free(&group);
}

// A member of a group leaves the making of its communicator out.
TWIN(group_member_missing, 3, missing, deadlock, "1") {
  MPI_Group group = group_of({0, 1, 2});
  MPI_Comm all = MPI_COMM_NULL;
  if (!wrong || rank != 1) MPI_Comm_create_group(world, group, 7, &all);  // fault
  if (all != MPI_COMM_NULL) MPI_Comm_free(&all);
  MPI_Group_free(&group);
}

// Two communicators of the same ranks are used in another order by one of them.
TWIN(two_in_other_order, 3, order, deadlock, "2") {
  MPI_Comm one, two;
  MPI_Comm_dup(world, &one);
  MPI_Comm_dup(world, &two);
  const bool swapped = wrong && rank == 2;
  MPI_Barrier(swapped ? two : one);  // fault
  MPI_Barrier(swapped ? one : two);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
}

// Pairs of neighbours, each with a communicator of its own: an order that is a cycle.
TWIN(pairs_in_a_cycle, 3, order, deadlock, "0,1,2") {
  MPI_Comm low = MPI_COMM_NULL, high = MPI_COMM_NULL, ends = MPI_COMM_NULL;
  MPI_Comm_split(world, rank < 2 ? 0 : MPI_UNDEFINED, rank, &low);
  MPI_Comm_split(world, rank > 0 ? 0 : MPI_UNDEFINED, rank, &high);
  MPI_Comm_split(world, rank != 1 ? 0 : MPI_UNDEFINED, rank, &ends);
  if (rank == 0) MPI_Barrier(low);  // fault
  if (rank == 0) MPI_Barrier(ends);
  if (rank == 1) MPI_Barrier(wrong ? high : low);  // fault
  if (rank == 1) MPI_Barrier(wrong ? low : high);
  if (rank == 2) MPI_Barrier(ends);  // fault
  if (rank == 2) MPI_Barrier(high);
}

// One rank synchronizes its row, the others the world.
TWIN(row_for_world, 4, argument, deadlock, "2") {
  MPI_Comm row;
  MPI_Comm_split(world, rank / 2, rank, &row);
  sum_on(world);
  MPI_Barrier(wrong && rank == 2 ? row : world);  // fault
  MPI_Comm_free(&row);
}

// Rows and columns, and two ranks that take the column first: each rank waits for the next of the four.
TWIN(columns_before_rows, 4, order, deadlock, "0,1,2,3") {
  MPI_Comm row, column;
  MPI_Comm_split(world, rank / 2, rank, &row);
  MPI_Comm_split(world, rank % 2, rank, &column);
  const bool turned = wrong && (rank == 1 || rank == 2);
  MPI_Barrier(turned ? column : row);  // fault
  MPI_Barrier(turned ? row : column);
  MPI_Comm_free(&row);
  MPI_Comm_free(&column);
}

// One rank alone may take its column first: nobody waits for the others in a circle.
LEGAL(one_column_before_row, 4) {
  MPI_Comm row, column;
  MPI_Comm_split(world, rank / 2, rank, &row);
  MPI_Comm_split(world, rank % 2, rank, &column);
  MPI_Barrier(rank == 3 ? column : row);
  MPI_Barrier(rank == 3 ? row : column);
}

// A communicator is freed by one of its ranks, before it is used once more.
TWIN(freed_too_early, 3, order, deadlock, "1") {
  MPI_Comm copy;
  MPI_Comm_dup(world, &copy);
  if (wrong && rank == 1)
    MPI_Comm_free(&copy);  // fault
  else
    sum_on(copy);
  if (copy == MPI_COMM_NULL) return;
  if (!wrong) MPI_Comm_free(&copy);
}

// Members of the same colour, but one rank has another one by mistake: the others wait for more messages than come.
TWIN(colour_differs, 4, argument, deadlock, "3") {
  MPI_Comm half;
  MPI_Comm_split(world, wrong && rank == 3 ? 7 : rank / 2, rank, &half);
  int number = rank;
  if (rank == 2) MPI_Recv(&number, 1, MPI_INT, 3, 0, world, no_status);  // fault
  if (rank == 3) {
    int members = 0;
    MPI_Comm_size(half, &members);
    if (members == 2) MPI_Send(&number, 1, MPI_INT, 2, 0, world);
  }
}

// Some ranks are in no group, and do different things afterwards.
LEGAL(undefined_colour, 3) {
  MPI_Comm some;
  MPI_Comm_split(world, rank == 1 ? MPI_UNDEFINED : 0, rank, &some);
  if (some == MPI_COMM_NULL) return;
  sum_on(some);
  sum_on(some);
  MPI_Comm_free(&some);
}

// Groups that have no rank in common make their communicators in one call, and use them each in its own way.
LEGAL(disjoint_groups, 4) {
  MPI_Group group = rank < 2 ? group_of({0, 1}) : group_of({3, 2});
  MPI_Comm own;
  MPI_Comm_create(world, group, &own);
  if (rank < 2) sum_on(own);
  for (int i = 0; rank >= 2 && i < 3; ++i) MPI_Barrier(own);
  MPI_Comm_free(&own);
  MPI_Group_free(&group);
}

// The same without the other ranks.
LEGAL(groups_by_themselves, 3) {
  if (rank == 0) return;
  MPI_Group group = group_of({1, 2});
  MPI_Comm pair;
  MPI_Comm_create_group(world, group, 3, &pair);
  sum_on(pair);
  MPI_Comm_free(&pair);
  MPI_Group_free(&group);
}

// Pairs of neighbours in an order that is no cycle.
LEGAL(pairs_in_order, 3) {
  MPI_Comm low = MPI_COMM_NULL, high = MPI_COMM_NULL;
  MPI_Comm_split(world, rank < 2 ? 0 : MPI_UNDEFINED, rank, &low);
  MPI_Comm_split(world, rank > 0 ? 0 : MPI_UNDEFINED, rank, &high);
  if (low != MPI_COMM_NULL) MPI_Barrier(low);
  if (high != MPI_COMM_NULL) MPI_Barrier(high);
}

// Independent halves of the job at work of different length.
LEGAL(halves_go_their_way, 4) {
  MPI_Comm half;
  MPI_Comm_split(world, rank % 2, -rank, &half);
  for (int i = 0; i < (rank % 2 == 0 ? 5 : 2); ++i) sum_on(half);
  MPI_Barrier(world);
  MPI_Comm_free(&half);
}

// Copies of copies, by nonblocking calls as well, and never freed.
LEGAL(copies_of_copies, 3) {
  MPI_Comm one, two, three;
  MPI_Request request;
  MPI_Comm_dup(world, &one);
  MPI_Comm_idup(one, &two, &request);
  sum_on(one);
  MPI_Wait(&request, no_status);
  MPI_Comm_split_type(two, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &three);
  sum_on(three);
  sum_on(two);
}

// A rank alone.
LEGAL(alone, 2) {
  sum_on(MPI_COMM_SELF);
  MPI_Comm own;
  MPI_Comm_split(world, rank, 0, &own);
  for (int i = 0; i <= rank; ++i) MPI_Barrier(own);
  MPI_Comm_free(&own);
}

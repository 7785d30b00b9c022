// Collectives with counts for each rank: what one gives must be what the other takes.
#include <array>
#include <utility>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

using Three = std::array<int, 3>;

}  // namespace

// The root expects less of one rank than that sends.
TWIN(gatherv_count_differs, 3, argument, mismatch, "0,2") {
  int mine[4] = {}, all[32] = {};
  const Three counts{1, 2, wrong ? 2 : 3}, places{0, 4, 8};
  MPI_Gatherv(mine, rank + 1, MPI_INT, all, counts.data(), places.data(), MPI_INT, 0, world);  // fault
}

// The root scatters more to one rank than that takes.
TWIN(scatterv_count_differs, 3, argument, mismatch, "0,1") {
  int mine[4] = {}, all[32] = {};
  const Three counts{1, wrong ? 4 : 2, 3}, places{0, 4, 8};
  MPI_Scatterv(all, counts.data(), places.data(), MPI_INT, mine, rank + 1, MPI_INT, 0, world);  // fault
}

// One rank has an old table of the counts of all.
TWIN(allgatherv_old_counts, 3, argument, mismatch, "1") {
  int mine[4] = {}, all[32] = {};
  const bool old = wrong && rank == 1;
  const Three counts{1, 2, old ? 1 : 3}, places{0, 4, 8};
  MPI_Allgatherv(mine, rank + 1, MPI_INT, all, counts.data(), places.data(), MPI_INT, world);  // fault
}

// One rank gives to all what it should take from them.
TWIN(alltoallv_transposed, 3, argument, mismatch, "1") {
  int give[32] = {}, take[32] = {};
  Three out{}, in{};
  const Three places{0, 8, 16};
  for (int peer = 0; peer < 3; ++peer) {
    out[peer] = 1 + peer + 2 * rank;
    in[peer] = 1 + rank + 2 * peer;
  }
  if (wrong && rank == 1) std::swap(out, in);
  MPI_Alltoallv(give, out.data(), places.data(), MPI_INT, take, in.data(), places.data(), MPI_INT, world);  // fault
}

// One rank cuts the result in other pieces.
TWIN(reduce_scatter_counts_differ, 3, argument, mismatch, "0") {
  int mine[6] = {}, part[6] = {};
  const bool other = wrong && rank == 0;
  const Three counts{other ? 3 : 2, 2, other ? 1 : 2};
  MPI_Reduce_scatter(mine, part, counts.data(), MPI_INT, MPI_SUM, world);  // fault
}

// A rank that has nothing to give leaves the call out.
TWIN(nothing_to_give, 3, missing, deadlock, "1") {
  int mine[4] = {}, all[16] = {};
  const Three counts{2, 0, 2}, places{0, 4, 8};
  if (wrong && rank == 1) return;
  MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts.data(), places.data(), MPI_INT, world);  // fault
}

// One rank gathers to all with one count, the others with a count for each.
TWIN(allgather_for_allgatherv, 3, argument, deadlock, "2") {
  int mine[2] = {}, all[8] = {};
  const Three counts{2, 2, 2}, places{0, 2, 4};
  if (wrong && rank == 2)
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, world);  // fault
  else
    MPI_Allgatherv(mine, 2, MPI_INT, all, counts.data(), places.data(), MPI_INT, world);
}

// One rank gives integers where everybody takes floating-point numbers.
TWIN(alltoallw_type_differs, 3, argument, mismatch, "2") {
  double give[8] = {}, take[8] = {};
  const Three one{1, 1, 1}, at{0, 8, 16};
  std::array<MPI_Datatype, 3> out, in;
  out.fill(wrong && rank == 2 ? MPI_LONG : MPI_DOUBLE);
  in.fill(MPI_DOUBLE);
  MPI_Alltoallw(give, one.data(), at.data(), out.data(), take, one.data(), at.data(), in.data(), world);  // fault
}

// One rank gives numbers of another type, of the same size.
TWIN(alltoallv_type_differs, 3, argument, mismatch, "1") {
  int give[8] = {}, take[8] = {};
  const Three ones{1, 1, 1}, places{0, 1, 2};
  const MPI_Datatype type = wrong && rank == 1 ? MPI_FLOAT : MPI_INT;
  MPI_Alltoallv(give, ones.data(), places.data(), type, take, ones.data(), places.data(), MPI_INT, world);  // fault
}

// The root of a gather differs on one rank.
TWIN(gatherv_root_differs, 3, argument, mismatch, "1") {
  int mine[2] = {}, all[8] = {};
  const Three counts{2, 2, 2}, places{0, 2, 4};
  const int root = wrong && rank == 1 ? 1 : 0;
  MPI_Gatherv(mine, 2, MPI_INT, all, counts.data(), places.data(), MPI_INT, root, world);  // fault
}

// Ranks that give and take nothing call as well.
LEGAL(empty_parts, 3) {
  int mine[4] = {}, all[16] = {};
  const Three counts{2, 0, 1}, places{0, 4, 8};
  MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts.data(), places.data(), MPI_INT, 1, world);
  MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts.data(), places.data(), MPI_INT, world);
  MPI_Scatterv(all, counts.data(), places.data(), MPI_INT, mine, counts[rank], MPI_INT, 2, world);
}

// Only the root knows the counts.
LEGAL(counts_at_the_root_alone, 3) {
  int mine[4] = {}, all[16] = {};
  const Three counts{1, 2, 3}, places{0, 4, 8};
  if (rank == 0)
    MPI_Gatherv(mine, 1, MPI_INT, all, counts.data(), places.data(), MPI_INT, 0, world);
  else
    MPI_Gatherv(mine, rank + 1, MPI_INT, nullptr, nullptr, nullptr, MPI_DATATYPE_NULL, 0, world);
}

// Each rank lays out its part in its own way.
LEGAL(own_places, 3) {
  int give[32] = {}, take[32] = {};
  Three out{}, in{};
  const Three places{rank, 8 + rank, 16 + 2 * rank};
  for (int peer = 0; peer < 3; ++peer) {
    out[peer] = peer > rank ? peer : 0;
    in[peer] = rank > peer ? rank : 0;
  }
  MPI_Alltoallv(give, out.data(), places.data(), MPI_INT, take, in.data(), places.data(), MPI_INT, world);
}

// In place, where the arguments for what is sent mean nothing.
LEGAL(in_place, 3) {
  int all[16] = {}, square[9] = {};
  const Three counts{2, 0, 1}, places{0, 4, 8}, ones{1, 1, 1}, each{0, 1, 2};
  MPI_Allgatherv(MPI_IN_PLACE, 77, MPI_FLOAT, all, counts.data(), places.data(), MPI_INT, world);
  MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_DATATYPE_NULL, square, ones.data(), each.data(), MPI_INT, world);
}

// The same numbers by other types on the two sides.
LEGAL(types_of_equal_signature, 3) {
  int mine[4] = {}, all[16] = {};
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  const Three counts{2, 2, 2}, places{0, 2, 4};
  MPI_Gatherv(mine, 1, two, all, counts.data(), places.data(), MPI_INT, 0, world);
  MPI_Type_free(&two);
}

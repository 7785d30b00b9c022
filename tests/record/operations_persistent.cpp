// A program with persistent collectives, under the names that the MPI library gives them.
#include <mpi.h>

#include PETRI_PERSISTENT_NAMES

#include <vector>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

#define INIT(name) PETRI_PERSISTENT_NAME(name##_init)

// On three ranks: each is made, all are started, the first one once more.
void persistent_collectives() {
  const int rank = world_rank();
  const auto n = static_cast<std::size_t>(world_size());
  const MPI_Comm w = MPI_COMM_WORLD;
  const MPI_Info none = MPI_INFO_NULL;
  std::vector<int> one(1, rank), two(1), in(n), ones(n, 1), places(n), bytes(n);
  for (std::size_t i = 0; i < n; ++i) places[i] = static_cast<int>(i), bytes[i] = static_cast<int>(4 * i);
  std::vector<std::vector<int>> out(17, std::vector<int>(n));
  std::vector<MPI_Datatype> types(n, MPI_INT);
  MPI_Request r[17];
  INIT(Barrier)(w, none, &r[0]);
  INIT(Bcast)(two.data(), 1, MPI_INT, 1, w, none, &r[1]);
  INIT(Reduce)(one.data(), out[2].data(), 1, MPI_INT, MPI_SUM, 0, w, none, &r[2]);
  INIT(Allreduce)(one.data(), out[3].data(), 1, MPI_INT, MPI_MAX, w, none, &r[3]);
  INIT(Gather)(one.data(), 1, MPI_INT, out[4].data(), 1, MPI_INT, 0, w, none, &r[4]);
  INIT(Gatherv)(one.data(), 1, MPI_INT, out[5].data(), ones.data(), places.data(), MPI_INT, 0, w, none, &r[5]);
  INIT(Scatter)(in.data(), 1, MPI_INT, out[6].data(), 1, MPI_INT, 0, w, none, &r[6]);
  INIT(Scatterv)(in.data(), ones.data(), places.data(), MPI_INT, out[7].data(), 1, MPI_INT, 0, w, none, &r[7]);
  INIT(Allgather)(one.data(), 1, MPI_INT, out[8].data(), 1, MPI_INT, w, none, &r[8]);
  INIT(Allgatherv)(one.data(), 1, MPI_INT, out[9].data(), ones.data(), places.data(), MPI_INT, w, none, &r[9]);
  INIT(Alltoall)(in.data(), 1, MPI_INT, out[10].data(), 1, MPI_INT, w, none, &r[10]);
  INIT(Alltoallv)
  (in.data(), ones.data(), places.data(), MPI_INT, out[11].data(), ones.data(), places.data(), MPI_INT, w, none,
   &r[11]);
  INIT(Alltoallw)
  (in.data(), ones.data(), bytes.data(), types.data(), out[12].data(), ones.data(), bytes.data(), types.data(), w, none,
   &r[12]);
  INIT(Reduce_scatter)(in.data(), out[13].data(), ones.data(), MPI_INT, MPI_SUM, w, none, &r[13]);
  INIT(Reduce_scatter_block)(in.data(), out[14].data(), 1, MPI_INT, MPI_SUM, w, none, &r[14]);
  INIT(Scan)(one.data(), out[15].data(), 1, MPI_INT, MPI_SUM, w, none, &r[15]);
  INIT(Exscan)(one.data(), out[16].data(), 1, MPI_INT, MPI_SUM, w, none, &r[16]);
  MPI_Startall(17, r);
  MPI_Waitall(17, r, MPI_STATUSES_IGNORE);
  MPI_Start(&r[0]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  for (MPI_Request& request : r) MPI_Request_free(&request);
}

void persistent_neighbors() {
  const int dims[1] = {world_size()}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  const int ones[2] = {1, 1}, places[2] = {0, 1};
  const MPI_Aint bytes[2] = {0, 4};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  const MPI_Info none = MPI_INFO_NULL;
  int mine[2] = {1, 2}, a[2], b[2], c[2], d[2], e[2];
  MPI_Request r[5];
  INIT(Neighbor_allgather)(mine, 1, MPI_INT, a, 1, MPI_INT, ring, none, &r[0]);
  INIT(Neighbor_allgatherv)(mine, 1, MPI_INT, b, ones, places, MPI_INT, ring, none, &r[1]);
  INIT(Neighbor_alltoall)(mine, 1, MPI_INT, c, 1, MPI_INT, ring, none, &r[2]);
  INIT(Neighbor_alltoallv)(mine, ones, places, MPI_INT, d, ones, places, MPI_INT, ring, none, &r[3]);
  INIT(Neighbor_alltoallw)(mine, ones, bytes, types, e, ones, bytes, types, ring, none, &r[4]);
  MPI_Startall(5, r);
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
  for (MPI_Request& request : r) MPI_Request_free(&request);
}

constexpr Program kPrograms[] = {
    {"persistent_collectives", persistent_collectives},
    {"persistent_neighbors", persistent_neighbors},
};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test

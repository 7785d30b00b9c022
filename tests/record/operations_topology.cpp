// Programs with intercommunicators, topologies and collectives along them.
#include <mpi.h>

#include <vector>

#include "tests/record/operations.hpp"

namespace petri::test {
namespace {

// The even ranks and the odd ones, with leaders 0 and 1.
MPI_Comm even_and_odd(MPI_Comm& half) {
  const int rank = world_rank();
  MPI_Comm inter;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &inter);
  return inter;
}

// On three ranks: two face one.
void intercommunicators() {
  const int rank = world_rank();
  MPI_Comm half, dup, one_each, merged, second;
  const MPI_Comm inter = even_and_odd(half);
  int data[4] = {rank, rank, rank, rank}, all[4] = {};
  if (rank == 1) MPI_Send(data, 1, MPI_INT, 1, 5, inter);  // rank 2 of the world
  if (rank == 2) MPI_Recv(data, 1, MPI_INT, MPI_ANY_SOURCE, 5, inter, MPI_STATUS_IGNORE);
  MPI_Barrier(inter);
  MPI_Bcast(data, 2, MPI_INT, rank == 0 ? MPI_ROOT : rank == 2 ? MPI_PROC_NULL : 0, inter);
  MPI_Allgather(data, 1, MPI_INT, all, 1, MPI_INT, inter);
  MPI_Gather(data, 1, MPI_INT, all, 1, MPI_INT, rank == 1 ? MPI_ROOT : 0, inter);
  MPI_Comm_dup(inter, &dup);
  MPI_Comm_split(inter, rank == 2 ? MPI_UNDEFINED : 0, 0, &one_each);
  if (rank != 2) MPI_Barrier(one_each);
  MPI_Intercomm_merge(dup, rank % 2, &merged);
  MPI_Bcast(data, 1, MPI_INT, 2, merged);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &second);  // the same once more
  MPI_Comm_free(&dup);
  MPI_Comm_disconnect(&second);
}

// A 2 by 2 grid with an edge in one dimension, on four ranks.
void grid() {
  const int dims[2] = {2, 2}, periods[2] = {0, 1}, keep[2] = {0, 1};
  MPI_Comm grid, row, dup;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_dup(row, &dup);
  int mine[4] = {1, 2, 3, 4}, theirs[4] = {};
  MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, grid);
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 4, MPI_BYTE, grid);
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, dup);
}

// A ring on three ranks in which rank 0 also sends to rank 2, by three kinds of constructors.
void graphs() {
  const int rank = world_rank();
  MPI_Comm adjacent, general, directed;
  std::vector<int> sources{(rank + 2) % 3}, destinations{(rank + 1) % 3};
  if (rank == 0) destinations.push_back(2);
  if (rank == 2) sources.push_back(0);
  const int in = static_cast<int>(sources.size()), out = static_cast<int>(destinations.size());
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources.data(), MPI_UNWEIGHTED, out, destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &adjacent);
  const int index[3] = {1, 3, 4}, edges[4] = {1, 0, 2, 1};
  MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &general);
  const int node = rank, degree = 1, next = (rank + 1) % 3;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &node, &degree, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &directed);

  const std::vector<int> sent(static_cast<std::size_t>(out), 1), received(static_cast<std::size_t>(in), 1);
  const std::vector<int> at{0, 1};
  const std::vector<MPI_Aint> at_bytes{0, 4};
  const std::vector<MPI_Datatype> types{MPI_INT, MPI_INT};
  int mine[2] = {rank, rank}, a[2] = {}, b[2] = {}, c[2] = {}, d[2] = {}, e[2] = {};
  MPI_Neighbor_allgatherv(mine, 1, MPI_INT, a, received.data(), at.data(), MPI_INT, adjacent);
  MPI_Neighbor_alltoallv(mine, sent.data(), at.data(), MPI_INT, a, received.data(), at.data(), MPI_INT, adjacent);
  MPI_Neighbor_alltoallw(mine, sent.data(), at_bytes.data(), types.data(), a, received.data(), at_bytes.data(),
                         types.data(), adjacent);
  MPI_Request r[5];
  MPI_Ineighbor_allgather(mine, 1, MPI_INT, a, 1, MPI_INT, adjacent, &r[0]);
  MPI_Ineighbor_allgatherv(mine, 1, MPI_INT, b, received.data(), at.data(), MPI_INT, adjacent, &r[1]);
  MPI_Ineighbor_alltoall(mine, 1, MPI_INT, c, 1, MPI_INT, adjacent, &r[2]);
  MPI_Ineighbor_alltoallv(mine, sent.data(), at.data(), MPI_INT, d, received.data(), at.data(), MPI_INT, adjacent,
                          &r[3]);
  MPI_Ineighbor_alltoallw(mine, sent.data(), at_bytes.data(), types.data(), e, received.data(), at_bytes.data(),
                          types.data(), adjacent, &r[4]);
  MPI_Waitall(5, r, MPI_STATUSES_IGNORE);
}

// Rank 1 stays away.
void neighbor_hang() {
  end_soon();
  const int dims[1] = {2}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  int mine[2] = {1, 2}, theirs[2] = {};
  if (world_rank() == 0) MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, ring);
  MPI_Barrier(MPI_COMM_WORLD);
}

constexpr Program kPrograms[] = {
    {"intercommunicators", intercommunicators},
    {"grid", grid},
    {"graphs", graphs},
    {"neighbor_hang", neighbor_hang},
};

const Programs programs(kPrograms);

}  // namespace
}  // namespace petri::test

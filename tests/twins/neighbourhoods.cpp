// Process topologies, and the collectives between their neighbours.
#include <array>

#include "tests/twins/twin.h"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
MPI_Status* const no_status = MPI_STATUS_IGNORE;

MPI_Comm ring(bool closed) {
  MPI_Comm comm;
  const int extent = size, periodic = closed ? 1 : 0;
  MPI_Cart_create(world, 1, &extent, &periodic, 0, &comm);
  return comm;
}

}  // namespace

// A grid that one rank does not make.
TWIN(grid_not_made, 3, missing, deadlock, "1") {
  MPI_Comm comm = MPI_COMM_NULL;
  const int extent = 3, periodic = 1;
  if (!wrong || rank != 1) MPI_Cart_create(world, 1, &extent, &periodic, 0, &comm);  // fault
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

// An exchange with the neighbours that one rank leaves out.
TWIN(exchange_left_out, 3, missing, deadlock, "2") {
  MPI_Comm comm = ring(true);
  int mine[2] = {rank, rank}, theirs[2] = {};
  if (!wrong || rank != 2) MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);  // fault
  MPI_Comm_free(&comm);                                                                        // fault
}

// One rank gathers from its neighbours what the others exchange.
TWIN(gather_for_exchange, 3, argument, deadlock, "0") {
  MPI_Comm comm = ring(true);
  int mine[2] = {rank, rank}, theirs[2] = {};
  if (wrong && rank == 0)
    MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);  // fault
  else
    MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
  MPI_Barrier(comm);
}

// One rank sends other amounts to its neighbours than they take.
TWIN(count_differs, 3, argument, mismatch, "1") {
  MPI_Comm comm = ring(true);
  int mine[8] = {}, theirs[8] = {};
  const int count = wrong && rank == 1 ? 1 : 2;
  MPI_Neighbor_alltoall(mine, count, MPI_INT, theirs, 2, MPI_INT, comm);  // fault
  MPI_Comm_free(&comm);
}

// The exchange by the world's ranks instead of the neighbours': the last one has no right neighbour.
TWIN(shift_by_hand, 3, argument, deadlock, "0,1,2") {
  MPI_Comm comm = ring(true);
  int left = 0, right = 0, mine = rank, theirs = 0;
  MPI_Cart_shift(comm, 0, 1, &left, &right);
  if (wrong)
    MPI_Recv(&theirs, 1, MPI_INT, left, 0, comm, no_status);  // fault
  else
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &theirs, 1, MPI_INT, left, 0, comm, no_status);
  if (wrong) MPI_Send(&mine, 1, MPI_INT, right, 0, comm);
  MPI_Comm_free(&comm);
}

// A graph of which one rank does not know an edge that its neighbour has.
TWIN(edge_unknown, 3, argument, mismatch, "0,1") {
  const int from = (rank + 2) % 3, to = (rank + 1) % 3, known = wrong && rank == 1 ? 0 : 1;
  int* const even = MPI_UNWEIGHTED;
  const MPI_Info none = MPI_INFO_NULL;
  MPI_Comm comm;
  MPI_Dist_graph_create_adjacent(world, known, &from, even, 1, &to, even, none, 0, &comm);  // fault
  MPI_Comm_free(&comm);
}

// A line whose ends have one neighbour only.
LEGAL(open_line, 3) {
  MPI_Comm comm = ring(false);
  int mine[2] = {rank, rank}, theirs[2] = {}, left = 0, right = 0;
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
  MPI_Neighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
  MPI_Cart_shift(comm, 0, 1, &left, &right);
  MPI_Sendrecv(mine, 1, MPI_INT, right, 0, theirs, 1, MPI_INT, left, 0, comm, no_status);
  MPI_Comm_free(&comm);
}

// A graph in which ranks have other numbers of neighbours, in both directions.
LEGAL(star, 3) {
  MPI_Comm comm;
  const std::array<int, 2> others{1, 2};
  const int centre = 0;
  const int degree = rank == 0 ? 2 : 1;
  const int* neighbours = rank == 0 ? others.data() : &centre;
  MPI_Dist_graph_create_adjacent(world, degree, neighbours, MPI_UNWEIGHTED, degree, neighbours, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &comm);
  int mine[2] = {rank, rank}, theirs[2] = {};
  MPI_Request request;
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm);
  MPI_Ineighbor_allgather(mine, 1, MPI_INT, theirs, 1, MPI_INT, comm, &request);
  MPI_Wait(&request, no_status);
  MPI_Comm_free(&comm);
}

// The lines of a grid, each with its own length of work.
LEGAL(lines_of_a_grid, 4) {
  MPI_Comm grid, line;
  const std::array<int, 2> extents{2, 2}, periods{0, 1}, keep{0, 1};
  MPI_Cart_create(world, 2, extents.data(), periods.data(), 0, &grid);
  MPI_Cart_sub(grid, keep.data(), &line);
  for (int i = 0; i < (rank < 2 ? 1 : 3); ++i) MPI_Barrier(line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&grid);
}

// Communicators with a topology, MPI 4.1 section 8.5. What is recorded of a graph is who this rank's neighbours are.
#include "harness/record/creation.hpp"

using namespace petri;
using namespace petri::record;

// In front of the call the recorder knows what was asked for, behind it who the neighbours are.
PETRI_MPI(Cart_create)
(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm) {
  Call call(Op::cart_create, PETRI_SITE, comm);
  describe_creation(call);
  call.list(Part::dims, dims, ndims);
  call.list(Part::periods, periods, ndims);
  call.begin();
  meet(call);
  return settle(call, real::Cart_create(comm, ndims, dims, periods, reorder, newcomm), newcomm);
}

PETRI_MPI(Cart_sub)(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return create(Op::cart_sub, PETRI_SITE, comm, newcomm, [=] { return real::Cart_sub(comm, remain_dims, newcomm); });
}

PETRI_MPI(Graph_create)
(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm) {
  return create(Op::graph_create, PETRI_SITE, comm, newcomm,
                [=] { return real::Graph_create(comm, nnodes, index, edges, reorder, newcomm); });
}

PETRI_MPI(Dist_graph_create)
(MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[], const int weights[], MPI_Info info,
 int reorder, MPI_Comm* newcomm) {
  return create(Op::dist_graph_create, PETRI_SITE, comm, newcomm, [=] {
    return real::Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder, newcomm);
  });
}

PETRI_MPI(Dist_graph_create_adjacent)
(MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[],
 const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm) {
  return create(Op::dist_graph_create_adjacent, PETRI_SITE, comm, newcomm, [=] {
    return real::Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree, destinations,
                                            destweights, info, reorder, newcomm);
  });
}

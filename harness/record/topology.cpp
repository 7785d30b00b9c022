#include "harness/record/topology.hpp"

#include <cstdlib>

#include "harness/record/recorder.hpp"

namespace petri::record {
namespace {

// A topology as its fact lists it; `list` holds sources, destinations, extents and rings one after the other.
struct Topology {
  TopologyFact fact{};
  std::int32_t* list = nullptr;

  std::int32_t* allocate(int sources, int destinations, int dims) {
    fact.sources = sources;
    fact.destinations = destinations;
    fact.dims = dims;
    list = static_cast<std::int32_t*>(std::malloc(bytes() + 1));
    return list;
  }
  std::size_t bytes() const {
    return static_cast<std::size_t>(fact.sources + fact.destinations + 2 * fact.dims) * sizeof(std::int32_t);
  }
};

// In each dimension first the neighbour below, then the one above (MPI 4.1, section 8.6).
void ask_grid(MPI_Comm comm, Topology& topology) {
  int dims = 0;
  if (real::Cartdim_get(comm, &dims) != MPI_SUCCESS) return;
  std::int32_t* sources = topology.allocate(2 * dims, 2 * dims, dims);
  auto* coordinates = static_cast<int*>(std::malloc(static_cast<std::size_t>(dims + 1) * sizeof(int)));
  if (sources != nullptr && coordinates != nullptr) {
    std::int32_t* const destinations = sources + 2 * dims;
    std::int32_t* const extents = destinations + 2 * dims;
    real::Cart_get(comm, dims, extents, extents + dims, coordinates);
    for (int i = 0; i < dims; ++i) {
      int below = 0, above = 0;
      real::Cart_shift(comm, i, 1, &below, &above);
      sources[2 * i] = destinations[2 * i] = rank_value(below);
      sources[2 * i + 1] = destinations[2 * i + 1] = rank_value(above);
    }
  }
  std::free(coordinates);
}

// The edges of a general graph lead both ways.
void ask_graph(const CommEntry& entry, Topology& topology) {
  int n = 0;
  if (real::Graph_neighbors_count(entry.handle, entry.rank, &n) != MPI_SUCCESS) return;
  std::int32_t* list = topology.allocate(n, n, 0);
  if (list == nullptr) return;
  real::Graph_neighbors(entry.handle, entry.rank, n, list);
  for (int i = 0; i < n; ++i) list[n + i] = list[i];
}

void ask_distributed_graph(MPI_Comm comm, Topology& topology) {
  int sources = 0, destinations = 0, weighted = 0;
  if (real::Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted) != MPI_SUCCESS) return;
  std::int32_t* list = topology.allocate(sources, destinations, 0);
  const int longest = sources > destinations ? sources : destinations;
  auto* weights = static_cast<int*>(std::malloc(static_cast<std::size_t>(2 * longest + 1) * sizeof(int)));
  if (list != nullptr && weights != nullptr)
    real::Dist_graph_neighbors(comm, sources, list, weights, destinations, list + sources, weights + longest);
  std::free(weights);
}

}  // namespace

void learn_topology(CommEntry& entry) {
  int kind = MPI_UNDEFINED;
  if (entry.inter || real::Topo_test(entry.handle, &kind) != MPI_SUCCESS || kind == MPI_UNDEFINED) return;
  Topology topology;
  if (kind == MPI_CART) ask_grid(entry.handle, topology);
  if (kind == MPI_GRAPH) ask_graph(entry, topology);
  if (kind == MPI_DIST_GRAPH) ask_distributed_graph(entry.handle, topology);
  if (topology.list == nullptr) return;
  entry.sources = topology.fact.sources;
  entry.destinations = topology.fact.destinations;
  topology.fact.comm = entry.id;
  write_fact(FactKind::topology, &topology.fact, sizeof topology.fact, topology.list, topology.bytes());
  std::free(topology.list);
}

}  // namespace petri::record

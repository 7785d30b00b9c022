// Communicators with a topology (MPI 4.1, chapter 8). Grids are made as they were; all other topologies from each
// rank's own neighbours, in the order in which its neighbourhood collectives use them.
#include <algorithm>
#include <array>
#include <vector>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/plan/topology.hpp"

namespace petri {
namespace {

constexpr int kKeepOrder = 0;

void perform_cart_create(Replayer& replayer, const Event& event) {
  const std::vector<int> dims = event.extras.dims(), periods = event.extras.periods();
  MPI_Cart_create(replayer.comm_of(event), static_cast<int>(dims.size()), dims.data(), periods.data(), kKeepOrder,
                  replayer.new_comm_of(event));
}

void perform_cart_sub(Replayer& replayer, const Event& event) {
  int dimensions = 0;
  PMPI_Cartdim_get(replayer.comm_of(event), &dimensions);
  // Who is in no new communicator keeps any: it must take part all the same.
  std::vector<int> kept = kept_dimensions(replayer.scenario(), event).value_or(std::vector<int>());
  kept.resize(static_cast<std::size_t>(dimensions), 0);
  MPI_Cart_sub(replayer.comm_of(event), kept.data(), replayer.new_comm_of(event));
}

// MPI allows no MPI_PROC_NULL in a graph: only grids have edges.
std::vector<int> neighbours(const std::vector<std::int32_t>& named) {
  std::vector<int> ranks;
  std::copy_if(named.begin(), named.end(), std::back_inserter(ranks), [](std::int32_t rank) { return rank != kNull; });
  return ranks;
}

void perform_graph(Replayer& replayer, const Event& event) {
  const std::vector<int> sources = neighbours(event.extras.sources());
  const std::vector<int> destinations = neighbours(event.extras.destinations());
  MPI_Dist_graph_create_adjacent(replayer.comm_of(event), static_cast<int>(sources.size()), sources.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(destinations.size()), destinations.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, kKeepOrder, replayer.new_comm_of(event));
}

constexpr std::array kTable{
    PerformerRow{Op::cart_create, perform_cart_create},
    PerformerRow{Op::cart_sub, perform_cart_sub},
    PerformerRow{Op::graph_create, perform_graph},
    PerformerRow{Op::dist_graph_create, perform_graph},
    PerformerRow{Op::dist_graph_create_adjacent, perform_graph},
};

}  // namespace

std::span<const PerformerRow> topology_table() {
  return kTable;
}

}  // namespace petri

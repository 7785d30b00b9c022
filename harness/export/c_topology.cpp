// Communicators with a topology (MPI 4.1, chapter 8). Grids are made as they were; all other topologies from each
// rank's own neighbours, in the order in which its neighbourhood collectives use them.
#include <fmt/format.h>

#include <algorithm>

#include "harness/export/c_rank.hpp"
#include "harness/export/c_text.hpp"
#include "harness/worker/plan/topology.hpp"

namespace petri::c {
namespace {

std::vector<std::int64_t> wide(const std::vector<std::int32_t>& values) {
  return {values.begin(), values.end()};
}

// MPI allows no MPI_PROC_NULL in a graph: only grids have edges.
std::vector<std::int64_t> neighbours(const std::vector<std::int32_t>& named) {
  std::vector<std::int64_t> ranks;
  std::copy_if(named.begin(), named.end(), std::back_inserter(ranks), [](std::int32_t rank) { return rank != kNull; });
  return ranks;
}

}  // namespace

// How many neighbours this rank has on each side of what the event makes.
void RankWriter::learn_topology(const Event& event) {
  if (event.extras.new_comm() == kNoComm) return;
  const EventExtras& extras = event.extras;
  if (info(event.op).family == "comm_dup") {
    if (const auto parent = neighbours_.find(event.comm); parent != neighbours_.end())
      neighbours_[event.extras.new_comm()] = parent->second;
  } else if (event.op == Op::cart_create) {
    // Two for each dimension, also at an edge (MPI 4.1, section 8.6).
    neighbours_[event.extras.new_comm()] = {2 * extras.dims().size(), 2 * extras.dims().size()};
  } else if (event.op == Op::cart_sub) {
    const std::vector<int> kept = kept_dimensions(scenario_, event).value_or(std::vector<int>());
    const auto both = 2 * static_cast<std::size_t>(std::count(kept.begin(), kept.end(), 1));
    neighbours_[event.extras.new_comm()] = {both, both};
  } else if (makes_topology(event.op)) {
    neighbours_[event.extras.new_comm()] = {neighbours(extras.destinations()).size(),
                                            neighbours(extras.sources()).size()};
  }
}

void RankWriter::write_topology(const Event& event) {
  if (const auto reason = reason_against_topology(scenario_, event)) reject("cannot be written: " + *reason);
  const EventExtras& extras = event.extras;
  const std::string outer = indent_;
  put("{");
  indent_ += "  ";
  if (event.op == Op::cart_create) {
    put_array("int", "dims", wide(extras.dims()));
    put_array("int", "periods", wide(extras.periods()));
    put(fmt::format("MPI_Cart_create({}, {}, dims, periods, 0, {});", comm_of(event), extras.dims().size(),
                    target_of(event)));
  } else if (event.op == Op::cart_sub) {
    // Who is in no new communicator keeps any dimension: it takes part all the same.
    constexpr std::size_t kMostDimensions = 16;
    const std::vector<int> kept = kept_dimensions(scenario_, event).value_or(std::vector<int>(kMostDimensions, 0));
    put_array("int", "kept", {kept.begin(), kept.end()});
    put(fmt::format("MPI_Cart_sub({}, kept, {});", comm_of(event), target_of(event)));
  } else {
    const std::vector<std::int64_t> sources = neighbours(extras.sources());
    const std::vector<std::int64_t> destinations = neighbours(extras.destinations());
    put_array("int", "sources", sources);
    put_array("int", "destinations", destinations);
    // Weights guide a reordering, which is not asked for. MPI_UNWEIGHTED makes some compilers warn.
    put_array("int", "weights", std::vector<std::int64_t>(std::max(sources.size(), destinations.size()), 1));
    put(fmt::format(
        "MPI_Dist_graph_create_adjacent({}, {}, sources, weights, {}, destinations, weights, MPI_INFO_NULL,",
        comm_of(event), sources.size(), destinations.size()));
    put(fmt::format("                               0, {});", target_of(event)));
  }
  indent_ = outer;
  put("}");
}

}  // namespace petri::c

#include "harness/worker/plan/topology.hpp"

#include <algorithm>

namespace petri {
namespace {

using enum Op;

bool duplicates(Op op) {
  return info(op).family == "comm_dup";
}

const Communicator* made_by(const Scenario& scenario, const Event& event) {
  if (event.extras.new_comm() == kNoComm) return nullptr;
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(event.extras.new_comm())];
  return comm.known ? &comm : nullptr;
}

// The extents of the grid on which a communicator lies: those of the event that made it. Empty where it is on none.
PackedNumbers<std::int32_t> grid_of(const Scenario& scenario, std::int32_t comm) {
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      if (event.extras.new_comm() == comm && !event.extras.dims().empty()) return event.extras.dims();
    }
  }
  return {};
}

// Row-major, as MPI numbers the processes of a grid (MPI 4.1, section 8.5.1).
std::vector<std::int32_t> place_of(std::int32_t rank, const std::vector<std::int32_t>& dims) {
  std::vector<std::int32_t> place(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    place[i] = rank % dims[i];
    rank /= dims[i];
  }
  return place;
}

std::optional<std::string> reason_against_grid(const Communicator& parent, const EventExtras& extras) {
  if (extras.dims().empty() || extras.periods().size() != extras.dims().size())
    return "the extents of its grid are not known";
  std::size_t places = 1;
  for (const std::int32_t extent : extras.dims()) {
    if (extent < 1) return "its grid has an extent below 1";
    places *= static_cast<std::size_t>(extent);
    if (places > parent.ranks.size()) return "its grid is larger than the communicator";
  }
  return std::nullopt;
}

}  // namespace

bool makes_topology(Op op) {
  return op == cart_create || op == cart_sub || op == graph_create || op == dist_graph_create ||
         op == dist_graph_create_adjacent;
}

std::set<std::int32_t> communicators_with_topology(const Scenario& scenario) {
  std::set<std::int32_t> found;
  for (std::size_t before = 1; before != found.size();) {  // duplicates of duplicates
    before = found.size();
    for (const RankTrace& rank : scenario.ranks) {
      for (const Event& event : rank.events) {
        if (event.extras.new_comm() == kNoComm) continue;
        if (makes_topology(event.op) || (duplicates(event.op) && found.contains(event.comm)))
          found.insert(event.extras.new_comm());
      }
    }
    if (found.empty()) break;
  }
  return found;
}

std::size_t highest_degree(const Scenario& scenario) {
  std::size_t most = 0;
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      if (!makes_topology(event.op)) continue;
      const EventExtras& extras = event.extras;
      most = std::max({most, extras.sources().size(), extras.destinations().size(), 2 * extras.dims().size()});
    }
  }
  return most;
}

std::optional<std::vector<int>> kept_dimensions(const Scenario& scenario, const Event& cart_sub) {
  const Communicator* made = made_by(scenario, cart_sub);
  const std::vector<std::int32_t> dims = grid_of(scenario, cart_sub.comm);
  if (made == nullptr || dims.empty()) return std::nullopt;
  if (std::any_of(dims.begin(), dims.end(), [](std::int32_t extent) { return extent < 1; })) return std::nullopt;
  std::vector<int> kept(dims.size(), 0);
  std::vector<std::int32_t> first;
  for (const std::int32_t global : made->ranks) {
    const std::int32_t rank = scenario.comm_of(cart_sub).group_rank_of(global);
    if (rank < 0) return std::nullopt;
    const std::vector<std::int32_t> place = place_of(rank, dims);
    if (first.empty()) first = place;
    for (std::size_t i = 0; i < kept.size(); ++i) kept[i] |= place[i] != first[i] ? 1 : 0;
  }
  std::size_t members = 1;
  for (std::size_t i = 0; i < kept.size(); ++i) members *= kept[i] != 0 ? static_cast<std::size_t>(dims[i]) : 1;
  if (members != made->ranks.size()) return std::nullopt;
  std::ptrdiff_t missing =
      static_cast<std::ptrdiff_t>(cart_sub.extras.dims().size()) - std::count(kept.begin(), kept.end(), 1);
  for (std::size_t i = 0; i < kept.size() && missing > 0; ++i) {
    if (kept[i] != 0 || dims[i] != 1) continue;
    kept[i] = 1;
    --missing;
  }
  return kept;
}

std::optional<std::string> reason_against_topology(const Scenario& scenario, const Event& event) {
  const Communicator& parent = scenario.comm_of(event);
  if (parent.is_inter()) return "it is made from an intercommunicator";
  if (event.op == cart_sub) {
    if (event.extras.new_comm() == kNoComm || kept_dimensions(scenario, event)) return std::nullopt;
    return "which part of which grid it is, is not known";
  }
  if (event.op == cart_create) {
    if (auto reason = reason_against_grid(parent, event.extras)) return reason;
  }
  const Communicator* made = made_by(scenario, event);
  // A replay keeps the parent's order: neighbours are named by their places in it.
  const bool in_order = made == nullptr || (made->ranks.size() <= parent.ranks.size() &&
                                            std::equal(made->ranks.begin(), made->ranks.end(), parent.ranks.begin()));
  if (!in_order) return "the library had given its processes another order";
  return std::nullopt;
}

}  // namespace petri

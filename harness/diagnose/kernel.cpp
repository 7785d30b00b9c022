#include "harness/diagnose/kernel.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/diagnose/signature.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kMostCandidates = 1000;

using Nodes = std::vector<std::uint32_t>;

// The component's nodes, numbered from 0, with their waits without alternatives.
class RequiredWaits {
 public:
  RequiredWaits(const WaitGraph& graph, const Component& component) : nodes_(component.nodes) {
    for (std::size_t place = 0; place < nodes_.size(); ++place) place_of_[nodes_[place]] = place;
    next_.resize(nodes_.size());
    before_.resize(nodes_.size());
    for (std::size_t from = 0; from < nodes_.size(); ++from) {
      std::set<std::size_t> targets;
      for (const Link& link : graph.nodes()[nodes_[from]].links) {
        if (link.any) continue;
        for (const std::int32_t rank : link.targets) {
          const auto node = graph.node_of(link, rank);
          if (const auto place = node ? place_of_.find(*node) : place_of_.end(); place != place_of_.end())
            targets.insert(place->second);
        }
      }
      next_[from].assign(targets.begin(), targets.end());
      for (const std::size_t to : targets) before_[to].push_back(from);
    }
  }

  // The shortest cycles, each from its first node on.
  std::vector<Nodes> shortest_cycles() {
    const std::vector<std::size_t> starts = possible_starts();
    std::size_t shortest = nodes_.size();
    bool cyclic = false;
    for (const std::size_t start : starts) {
      if (shortest == 1) break;
      const std::size_t length = round_trip(start, 0, shortest);
      if (length != 0) cyclic = true, shortest = std::min(shortest, length);
    }
    std::vector<Nodes> cycles;
    if (!cyclic) return cycles;
    for (std::size_t i = 0; i < starts.size() && cycles.size() < kMostCandidates; ++i)
      if (round_trip(starts[i], starts[i], shortest) == shortest) follow(starts[i], shortest, cycles);
    return cycles;
  }

 private:
  static constexpr std::size_t kFar = static_cast<std::size_t>(-1);

  // The nodes that can be the first of a cycle. Between two nodes with one way in and one way out a cycle has no
  // choice: of a row of such nodes only the first can be, so that a ring is gone round once and not from each of its
  // nodes.
  std::vector<std::size_t> possible_starts() const {
    const auto is_passage = [&](std::size_t node) { return next_[node].size() == 1 && before_[node].size() == 1; };
    std::vector<std::size_t> starts;
    std::vector<bool> seen(nodes_.size(), false);
    for (std::size_t start = 0; start < nodes_.size(); ++start) {
      if (seen[start]) continue;
      starts.push_back(start);
      if (!is_passage(start)) continue;
      for (std::size_t node = start; is_passage(node) && !seen[node]; node = next_[node].front()) seen[node] = true;
      for (std::size_t node = before_[start].front(); is_passage(node) && !seen[node]; node = before_[node].front())
        seen[node] = true;
    }
    return starts;
  }

  // Length of the shortest cycle through `start` over nodes from `least` on, 0 where there is none of at most `limit`.
  // Leaves in distance_ how far it is from each node back to `start`.
  std::size_t round_trip(std::size_t start, std::size_t least, std::size_t limit) {
    distance_.assign(nodes_.size(), kFar);
    std::vector<std::size_t> level{start};
    for (std::size_t steps = 1; steps <= limit && !level.empty(); ++steps) {
      std::vector<std::size_t> further;
      for (const std::size_t node : level) {
        for (const std::size_t from : before_[node]) {
          if (from < least || distance_[from] != kFar) continue;
          distance_[from] = steps;
          further.push_back(from);
        }
      }
      if (distance_[start] != kFar) return steps;
      level = std::move(further);
    }
    return 0;
  }

  // All ways of `length` steps from `start` back to it: depth first, with a stack of its own, since a cycle may be as
  // long as the job is large.
  void follow(std::size_t start, std::size_t length, std::vector<Nodes>& cycles) const {
    std::vector<std::size_t> path{start}, tried{0};  // of each node on the path: how many of its ways on are tried
    while (!path.empty() && cycles.size() < kMostCandidates) {
      const std::size_t node = path.back(), left = length - path.size();
      if (left == 0) {
        Nodes& cycle = cycles.emplace_back();
        for (const std::size_t place : path) cycle.push_back(nodes_[place]);
      } else if (tried.back() < next_[node].size()) {
        const std::size_t to = next_[node][tried.back()++];
        if (distance_[to] == left) path.push_back(to), tried.push_back(0);
        continue;
      }
      path.pop_back();
      tried.pop_back();
    }
  }

  const Nodes& nodes_;
  std::map<std::uint32_t, std::size_t> place_of_;
  std::vector<std::vector<std::size_t>> next_, before_;
  std::vector<std::size_t> distance_;
};

// For each gathering in which different operations meet, all its sides.
std::vector<Nodes> meetings(const WaitGraph& graph, const Component& component) {
  std::map<std::uint32_t, Nodes> by_gathering;
  for (const std::uint32_t node : component.nodes)
    for (const Link& link : graph.nodes()[node].links)
      if (link.meets && !link.any) by_gathering[link.gathering].push_back(node);
  std::vector<Nodes> found;
  for (auto& [gathering, nodes] : by_gathering) {
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.size() > 1) found.push_back(std::move(nodes));
  }
  return found;
}

Component part_of(const WaitGraph& graph, Nodes nodes) {
  std::sort(nodes.begin(), nodes.end());
  Component part;
  part.required_only = true;
  std::set<std::int32_t> wanted;
  for (const std::uint32_t node : nodes) {
    for (const Link& link : graph.nodes()[node].links) {
      if (link.any) continue;
      for (const std::int32_t rank : link.targets)
        if (const auto other = graph.node_of(link, rank);
            other && std::binary_search(nodes.begin(), nodes.end(), *other))
          wanted.insert(rank);
    }
  }
  part.nodes = std::move(nodes);
  part.ranks.assign(wanted.begin(), wanted.end());
  return part;
}

}  // namespace

Component kernel_of(const WaitGraph& graph, const Component& component) {
  if (component.terminal != Terminal::none) return component;
  std::vector<Nodes> candidates = meetings(graph, component);
  if (candidates.empty()) candidates = RequiredWaits(graph, component).shortest_cycles();
  if (candidates.empty()) return component;
  Component best = part_of(graph, std::move(candidates.front()));
  std::string least = candidates.size() > 1 ? canonical_form(graph, best) : "";
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    Component other = part_of(graph, std::move(candidates[i]));
    std::string form = canonical_form(graph, other);
    if (form < least) best = std::move(other), least = std::move(form);
  }
  return best;
}

}  // namespace petri::diagnosis

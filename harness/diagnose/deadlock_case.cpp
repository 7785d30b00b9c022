#include "harness/diagnose/deadlock_case.hpp"

#include <algorithm>

namespace petri::diagnosis {
namespace {

// A wait for somebody in the component.
bool is_part(const Component& component, const Link& link) {
  if (component.required_only && link.any) return false;
  return std::any_of(link.targets.begin(), link.targets.end(), [&](std::int32_t rank) {
    return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
  });
}

}  // namespace

std::vector<std::int32_t> ranks_waiting(const DeadlockCase& deadlock) {
  std::vector<std::int32_t> ranks;
  for (const std::uint32_t number : deadlock.component.nodes) {
    const Node& node = deadlock.graph.nodes()[number];
    ranks.insert(ranks.end(), node.ranks.begin(), node.ranks.end());
  }
  return ranks;
}

std::set<std::int32_t> comms_of(const DeadlockCase& deadlock) {
  std::set<std::int32_t> comms;
  for (const std::uint32_t node : deadlock.component.nodes)
    for (const Link& link : deadlock.graph.nodes()[node].links)
      if (link.kind != model::Atom::stream && is_part(deadlock.component, link)) comms.insert(link.comm);
  return comms;
}

std::vector<std::int32_t> suspects_of(const DeadlockCase& deadlock, const Finding& finding) {
  std::vector<std::int32_t> ranks = deadlock.component.ranks;
  if (deadlock.component.terminal != Terminal::none) {
    const std::vector<std::int32_t> waiting = ranks_waiting(deadlock);
    ranks.insert(ranks.end(), waiting.begin(), waiting.end());
  }
  ranks.insert(ranks.end(), finding.culprits.begin(), finding.culprits.end());
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

}  // namespace petri::diagnosis

#include "harness/diagnose/mutual_waits.hpp"

#include <algorithm>

namespace petri::diagnosis {
namespace {

bool share(const std::vector<std::int32_t>& ranks, const std::vector<std::int32_t>& ascending) {
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](std::int32_t rank) { return std::binary_search(ascending.begin(), ascending.end(), rank); });
}

}  // namespace

MutualWaits mutual_waits(const WaitGraph& graph, const Component& component) {
  MutualWaits waits;
  waits.waited_for = component.ranks;
  for (const std::uint32_t number : component.nodes) {
    const Node& node = graph.nodes()[number];
    waits.waiting.insert(waits.waiting.end(), node.ranks.begin(), node.ranks.end());
    for (const Link& link : node.links) {
      waits.on_streams = waits.on_streams || link.kind == model::Atom::stream;
      waits.on_windows = waits.on_windows || link.kind == model::Atom::lock || link.kind == model::Atom::epoch;
    }
  }
  std::sort(waits.waiting.begin(), waits.waiting.end());
  return waits;
}

bool holds_in(const WaitGraph& graph, const MutualWaits& waits) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    return share(node.ranks, waits.waiting) && std::any_of(node.links.begin(), node.links.end(), [&](const Link& link) {
             return share(link.targets, waits.waited_for);
           });
  });
}

}  // namespace petri::diagnosis

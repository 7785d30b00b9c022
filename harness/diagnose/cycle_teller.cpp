#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/testimony.hpp"
#include "harness/diagnose/witnesses.hpp"
#include "harness/trace/counted.hpp"

namespace petri::diagnosis {
namespace {

std::vector<std::int32_t> in_cycle(const std::vector<std::int32_t>& ranks, const Component& component) {
  std::vector<std::int32_t> inside;
  std::copy_if(ranks.begin(), ranks.end(), std::back_inserter(inside), [&](std::int32_t rank) {
    return std::binary_search(component.ranks.begin(), component.ranks.end(), rank);
  });
  return inside;
}

// Where the ranks of the nodes are blocked.
class Places {
 public:
  explicit Places(const DeadlockCase& deadlock) : graph_(deadlock.graph) {
    for (const model::Wait& wait : deadlock.run.waits)
      if (const auto node = graph_.node_of_lane(wait.lane)) waits_.try_emplace({*node, wait.rank}, wait.index);
  }

  EventRef of(std::uint32_t node, std::int32_t rank) const {
    const auto wait = waits_.find({node, rank});
    return wait == waits_.end() ? graph_.nodes()[node].at : EventRef{rank, wait->second};
  }

 private:
  const WaitGraph& graph_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> waits_;  // by node and rank: the first one's event
};

std::string targets_text(const DeadlockCase& deadlock, const Node& node) {
  for (const Link& link : node.links)
    if (link.kind == model::Atom::stream) {
      const model::Lane& lane = deadlock.run.lanes[link.lane];
      return lane.is_stream() ? fmt::format("its own stream {}", lane.stream)
                              : fmt::format("its own thread {}", lane.thread);
    }
  std::vector<std::int32_t> targets;
  for (const Link& link : node.links) targets.insert(targets.end(), link.targets.begin(), link.targets.end());
  return ranks_text(in_cycle(targets, deadlock.component));
}

// "rank 0 in recv … for ranks 1-3": one step for all ranks that wait alike, in the order of their first ranks.
std::vector<std::string> steps_text(const DeadlockCase& deadlock, const Places& where) {
  constexpr std::size_t kMost = 8;
  std::vector<std::pair<EventRef, std::uint32_t>> places;
  for (const std::uint32_t number : deadlock.component.nodes) {
    const auto ranks = in_cycle(deadlock.graph.nodes()[number].ranks, deadlock.component);
    if (!ranks.empty()) places.emplace_back(where.of(number, ranks.front()), number);
  }
  std::sort(places.begin(), places.end());
  std::vector<std::string> steps;
  for (std::size_t i = 0; i < places.size() && i < kMost; ++i) {
    const auto& [here, number] = places[i];
    const Node& node = deadlock.graph.nodes()[number];
    steps.push_back(fmt::format("{} in {} for {}", ranks_text(in_cycle(node.ranks, deadlock.component)),
                                event_text(deadlock.scenario, here), targets_text(deadlock, node)));
  }
  if (places.size() > kMost) steps.push_back("and " + counted(places.size() - kMost, "more place"));
  return steps;
}

}  // namespace

Finding tell_of_cycle(const DeadlockCase& deadlock) {
  const Component& component = deadlock.component;
  const Places where(deadlock);
  Finding finding;
  finding.culprits = component.ranks;
  for (const std::uint32_t number : component.nodes)
    for (const std::int32_t rank : in_cycle(deadlock.graph.nodes()[number].ranks, component))
      finding.events.push_back(where.of(number, rank));
  std::sort(finding.events.begin(), finding.events.end());
  finding.expected = "an order in which somebody can go on";
  finding.actual = fmt::format("{}", fmt::join(steps_text(deadlock, where), "; "));
  if (component.ranks.size() == 1) {
    finding.text = fmt::format("{} waits for itself in {}.", sentence_start(component.ranks),
                               event_text(deadlock.scenario, deadlock.graph.nodes()[component.nodes.front()].at));
  } else {
    const std::size_t comms = comms_of(deadlock).size();
    finding.text = fmt::format("{} wait for each other in a cycle{}: {}.", sentence_start(component.ranks),
                               comms > 1 ? fmt::format(" over {} communicators", comms) : "", finding.actual);
  }
  ask_about_cycle(deadlock, finding);
  return finding;
}

}  // namespace petri::diagnosis

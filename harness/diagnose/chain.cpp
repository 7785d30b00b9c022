#include "harness/diagnose/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/diagnose/describe.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {

// The call that a node cannot leave; for a wait also the call that it waits for.
std::string EvidenceChain::blocked_text(const Node& node) const {
  std::string text = event_text(scenario_, node.at);
  if (!node.links.empty() && node.links.front().posted != node.at)
    text += fmt::format(" for {}", event_text(scenario_, node.links.front().posted));
  return text;
}

// Messages that were sent to a rank which waits for another one: a wrong tag or communicator shows itself so.
void EvidenceChain::add_near_misses(const Component& component, Finding& finding) const {
  for (const std::uint32_t number : component.nodes)
    for (const Link& link : graph_.nodes()[number].links)
      if (link.kind == model::Atom::message)
        for (const std::int32_t rank : graph_.nodes()[number].ranks) add_near_misses_of(rank, link, finding);
}

void EvidenceChain::add_near_misses_of(std::int32_t rank, const Link& link, Finding& finding) const {
  for (const EventRef sent : run_.unmatched_sends) {
    const Event& send = at(scenario_, sent);
    const auto& members = run_.gatherings.ranks_of(send.comm);
    const std::int32_t peer = model::send_half(send).peer;
    const bool to_it =
        peer >= 0 && static_cast<std::size_t>(peer) < members.size() && members[static_cast<std::size_t>(peer)] == rank;
    if (!to_it || std::find(link.targets.begin(), link.targets.end(), sent.rank) == link.targets.end()) continue;
    finding.evidence.push_back(
        fmt::format("rank {} did send a message to rank {}, which this receive does not take: {} ({})", sent.rank, rank,
                    event_text(scenario_, send), place_text(send)));
    if (std::find(finding.events.begin(), finding.events.end(), sent) == finding.events.end())
      finding.events.push_back(sent);
    return;
  }
}

// Where each of the component's nodes stands, as evidence.
void EvidenceChain::add_places(const Component& component, Finding& finding) const {
  constexpr std::size_t kMost = 16;
  std::size_t told = 0;
  for (const std::uint32_t number : component.nodes) {
    if (++told > kMost) {
      finding.evidence.push_back(fmt::format("and {} further places", component.nodes.size() - kMost));
      return;
    }
    const Node& node = graph_.nodes()[number];
    std::vector<std::int32_t> targets;
    for (const Link& link : node.links) targets.insert(targets.end(), link.targets.begin(), link.targets.end());
    finding.evidence.push_back(fmt::format("{} blocked in {} ({}), waiting for {}", ranks_text(node.ranks),
                                           blocked_text(node), place_text(at(scenario_, node.at)),
                                           ranks_text(targets)));
    if (std::find(finding.events.begin(), finding.events.end(), node.at) == finding.events.end())
      finding.events.push_back(node.at);
  }
}

// Ranks that are blocked only because others are.
void EvidenceChain::add_victims(const std::vector<Component>& kernels, Finding& finding) const {
  std::set<std::int32_t> victims(run_.stuck.begin(), run_.stuck.end());
  for (const Component& component : kernels)
    for (const std::uint32_t node : component.nodes)
      for (const std::int32_t rank : graph_.nodes()[node].ranks) victims.erase(rank);
  std::erase_if(victims, [&](std::int32_t rank) {
    return graph_.terminal_of(rank) != Terminal::none ||
           std::binary_search(finding.culprits.begin(), finding.culprits.end(), rank);
  });
  if (!victims.empty())
    finding.evidence.push_back(
        fmt::format("{} blocked only because others are", ranks_text({victims.begin(), victims.end()})));
}

}  // namespace petri::diagnosis

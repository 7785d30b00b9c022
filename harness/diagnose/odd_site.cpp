#include "harness/diagnose/odd_site.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {
namespace {

using BySite = std::map<std::uint32_t, std::vector<EventRef>>;

BySite arrivals_by_site(const DeadlockCase& deadlock, const model::Gathering& gathering) {
  BySite by_site;
  const auto& members = deadlock.run.gatherings.members(gathering);
  for (std::size_t member = 0; member < members.size(); ++member)
    if (gathering.arrivals[member] < model::kBefore) {
      const EventRef ref{members[member], gathering.arrivals[member]};
      by_site[at(deadlock.scenario, ref).site].push_back(ref);
    }
  return by_site;
}

}  // namespace

std::optional<Testimony> odd_site(const DeadlockCase& deadlock) {
  for (const std::uint32_t node : deadlock.component.nodes)
    for (const Link& link : deadlock.graph.nodes()[node].links) {
      if (link.kind != model::Atom::gathering || link.meets || is_rooted(link.op)) continue;
      const BySite by_site = arrivals_by_site(deadlock, deadlock.run.gatherings[link.gathering]);
      if (by_site.size() != 2 || by_site.begin()->first == kNoSymbol) continue;
      const auto &one = by_site.begin()->second, &other = by_site.rbegin()->second;
      if (one.size() == other.size()) continue;
      const auto& odd = one.size() < other.size() ? one : other;
      const auto& usual = one.size() < other.size() ? other : one;
      Testimony told;
      for (const EventRef ref : odd) told.culprits.push_back(ref.rank);
      told.events = odd;
      const std::string call = event_text(deadlock.scenario, odd.front()), who = ranks_text(told.culprits);
      told.expected = fmt::format("{} ranks: {}", usual.size(), event_text(deadlock.scenario, usual.front()));
      told.actual = fmt::format("{}: {}", who, call);
      told.evidence = {fmt::format("{} came to {} from another call site than the {} others", who, call, usual.size())};
      return told;
    }
  return std::nullopt;
}

}  // namespace petri::diagnosis

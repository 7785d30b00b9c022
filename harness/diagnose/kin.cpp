#include "harness/diagnose/kin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/diagnose/align.hpp"
#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {
void Kin::look() const {
  if (looked_) return;
  looked_ = true;
  for (std::size_t comm = 1; comm < scenario_.comms.size(); ++comm) {
    const Communicator& one = scenario_.comms[comm];
    if (!one.label.empty() && one.known && !one.is_inter())
      kinds_[{one.label, one.ranks.size()}].push_back(static_cast<std::int32_t>(comm));
  }
  std::set<std::int32_t> labelled;
  for (const auto& [kind, comms] : kinds_)
    if (comms.size() > 1) labelled.insert(comms.begin(), comms.end());
  for (const model::Gathering& gathering : run_.gatherings.all())
    if (gathering.venue == gathering.comm && gathering.start_of == model::kNoGathering &&
        labelled.contains(gathering.comm))
      places_.emplace(Place{gathering.comm, gathering.position}, &gathering);
}

std::vector<std::int32_t> Kin::others(std::int32_t comm) const {
  look();
  const Communicator& one = scenario_.comms[static_cast<std::size_t>(comm)];
  const auto found = kinds_.find({one.label, one.ranks.size()});
  if (found == kinds_.end()) return {};
  std::vector<std::int32_t> others = found->second;
  std::erase(others, comm);
  return others;
}

std::vector<EventRef> Kin::calls_at(const model::Gathering& gathering) const {
  std::vector<EventRef> calls;
  for (const std::int32_t comm : others(gathering.comm)) {
    const auto found = places_.find({comm, gathering.position});
    if (found == places_.end()) continue;
    const model::Gathering& other = *found->second;
    const auto& members = run_.gatherings.members(other);
    std::optional<EventRef> call;
    bool agree = true;
    for (std::size_t member = 0; member < members.size(); ++member) {
      if (other.arrivals[member] >= model::kBefore) continue;
      const EventRef here{members[member], other.arrivals[member]};
      if (!call) call = here;
      agree = agree && same_call(at(scenario_, *call), at(scenario_, here));
    }
    if (call && agree) calls.push_back(*call);
  }
  return calls;
}

bool Kin::came(std::int32_t comm, std::int64_t position) const {
  const auto found = places_.find({comm, position});
  if (found != places_.end()) return found->second->missing == 0 && !found->second->conflicted;
  // Records that begin behind the position say that their ranks took part in it.
  const auto& ranks = scenario_.comms[static_cast<std::size_t>(comm)].ranks;
  return std::all_of(ranks.begin(), ranks.end(), [&](std::int32_t rank) {
    const auto& joined = scenario_.ranks[static_cast<std::size_t>(rank)].end.joined;
    return std::any_of(joined.begin(), joined.end(),
                       [&](const auto& entry) { return entry.first == comm && entry.second > position; });
  });
}

bool Kin::all_came(const model::Gathering& gathering) const {
  const std::vector<std::int32_t> kin = others(gathering.comm);
  return !kin.empty() &&
         std::all_of(kin.begin(), kin.end(), [&](std::int32_t comm) { return came(comm, gathering.position); });
}

std::string Kin::text(const model::Gathering& gathering) const {
  const std::size_t count = others(gathering.comm).size();
  return fmt::format("the other {}{}", count == 1 ? "group " : fmt::format("{} groups ", count),
                     scenario_.comms[static_cast<std::size_t>(gathering.comm)].label);
}

std::optional<Testimony> missed_by_kin(const model::Run& run, const WaitGraph& graph, const Component& component,
                                       const Kin& kin) {
  std::set<std::int32_t> missed;
  std::vector<std::string> evidence;
  for (const std::uint32_t node : component.nodes) {
    for (const Link& link : graph.nodes()[node].links) {
      if (link.kind != model::Atom::gathering || link.meets) continue;
      const model::Gathering& gathering = run.gatherings[link.gathering];
      if (gathering.venue != gathering.comm || !kin.all_came(gathering)) continue;
      missed.insert(link.targets.begin(), link.targets.end());
      evidence.push_back(fmt::format("{} named because all of {} have come to their {} collective",
                                     ranks_text(link.targets), kin.text(gathering), ordinal_text(gathering.position)));
    }
  }
  std::vector<std::int32_t> culprits;
  for (const std::int32_t rank : component.ranks)
    if (missed.contains(rank)) culprits.push_back(rank);
  if (culprits.empty() || culprits.size() == component.ranks.size()) return std::nullopt;
  Testimony told;
  told.culprits = culprits;
  told.evidence = std::move(evidence);
  return told;
}

}  // namespace petri::diagnosis

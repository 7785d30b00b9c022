#include <algorithm>
#include <map>
#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

constexpr std::size_t kFewUnits = 24;  // up to here all pairs are tried: 276
constexpr std::size_t kMostPairs = 128;

using Events = std::vector<EventRef>;
using Pair = std::pair<std::uint32_t, std::uint32_t>;  // of units

// A receive or probe of any source whose record does not say whom it got.
bool takes_anybody(const Event& event) {
  const OpKind kind = kind_of(event.op);
  return (kind == OpKind::recv || kind == OpKind::probe) && event.peer == kAny && event.extras.matched() == kUnset;
}

// Sends by the communicator and the group rank that they name.
std::map<std::pair<std::int32_t, std::int32_t>, Events> sends_by_target(const Scenario& scenario) {
  std::map<std::pair<std::int32_t, std::int32_t>, Events> sends;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const std::vector<Event>& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t i = 0; i < events.size(); ++i)
      if (kind_of(events[i].op) == OpKind::send) sends[{events[i].comm, events[i].peer}].push_back({rank, i});
  }
  return sends;
}

// A receive of any source goes with a send that it may have got: which one is not known, and neither can go alone.
std::vector<Pair> open_matches(const Scenario& scenario, const Groups& groups) {
  std::vector<Pair> pairs;
  const auto sends = sends_by_target(scenario);
  for (std::int32_t to = 0; to < scenario.world(); ++to) {
    const std::vector<Event>& receives = scenario.ranks[static_cast<std::size_t>(to)].events;
    for (std::uint32_t i = 0; i < receives.size() && pairs.size() < kMostPairs; ++i) {
      if (!takes_anybody(receives[i])) continue;
      const Communicator& comm = scenario.comm_of(receives[i]);
      const auto sent = sends.find({receives[i].comm, comm.is_inter() ? kNoComm : comm.group_rank_of(to)});
      if (sent == sends.end()) continue;
      for (const EventRef send : sent->second) {
        if (pairs.size() == kMostPairs) break;
        const bool fits = receives[i].tag == kAny || tag_of(receives[i]) == tag_of(at(scenario, send));
        const Pair pair{groups.of({to, i}), groups.of(send)};
        if (fits && pair.first != pair.second) pairs.push_back(pair);
      }
    }
  }
  return pairs;
}

// Groups first, then the single events of those that have several.
std::vector<Events> units_of(const Groups& groups) {
  std::vector<Events> units, singles;
  for (std::uint32_t group = 0; group < groups.size(); ++group) {
    const auto members = groups.members(group);
    units.emplace_back(members.begin(), members.end());
    for (const EventRef event : members)
      if (members.size() > 1) singles.push_back({event});
  }
  units.insert(units.end(), singles.begin(), singles.end());
  return units;
}

std::vector<Pair> pairs_of(const Scenario& scenario, const Groups& groups, std::size_t units) {
  std::vector<Pair> pairs = open_matches(scenario, groups);
  for (std::uint32_t a = 0; units <= kFewUnits && a < units; ++a)
    for (std::uint32_t b = a + 1; b < units; ++b)
      if (std::find(pairs.begin(), pairs.end(), Pair{a, b}) == pairs.end()) pairs.emplace_back(a, b);
  return pairs;
}

class DropPairs final : public Pass {
 public:
  std::string_view name() const override { return "drop pairs"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, [](const ScenarioPtr& now) {
      const Groups groups = group_events(*now);
      const auto units = std::make_shared<const std::vector<Events>>(units_of(groups));
      std::vector<Proposal> proposals;
      for (const auto& [a, b] : pairs_of(*now, groups, units->size())) {
        proposals.push_back([now, units, a = a, b = b] {
          Selection keep = Selection::all(*now);
          for (const std::uint32_t unit : {a, b})
            for (const EventRef event : (*units)[unit]) keep.drop(event);
          return cut(*now, keep);
        });
      }
      return proposals;
    });
  }
};

}  // namespace

PassPtr drop_pairs() {
  return std::make_unique<DropPairs>();
}

}  // namespace petri::reduce

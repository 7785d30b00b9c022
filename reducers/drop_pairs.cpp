#include <algorithm>
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

// A receive of any source goes with a send that it may have got: which one is not known, and neither can go alone.
std::vector<Pair> open_matches(const Scenario& scenario, const Groups& groups) {
  std::vector<Pair> pairs;
  const auto group_of = [&](std::size_t rank, std::size_t i) { return groups.of[rank][i]; };
  for (std::size_t to = 0; to < scenario.ranks.size(); ++to) {
    const std::vector<Event>& receives = scenario.ranks[to].events;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      if (!takes_anybody(receives[i])) continue;
      const Communicator& comm = scenario.comm_of(receives[i]);
      for (std::size_t from = 0; from < scenario.ranks.size(); ++from) {
        const std::vector<Event>& sends = scenario.ranks[from].events;
        const std::int32_t own = comm.is_inter() ? kNoComm : comm.group_rank_of(static_cast<std::int32_t>(to));
        for (std::size_t j = 0; j < sends.size() && pairs.size() < kMostPairs; ++j) {
          const bool fits = kind_of(sends[j].op) == OpKind::send && sends[j].comm == receives[i].comm &&
                            sends[j].peer == own &&
                            (receives[i].tag == kAny || tag_of(receives[i]) == tag_of(sends[j]));
          if (fits && group_of(to, i) != group_of(from, j)) pairs.emplace_back(group_of(to, i), group_of(from, j));
        }
      }
    }
  }
  return pairs;
}

// Groups first, then the single events of those that have several.
std::vector<Events> units_of(const Groups& groups) {
  std::vector<Events> units = groups.members;
  for (const Events& group : groups.members)
    for (const EventRef event : group)
      if (group.size() > 1) units.push_back({event});
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

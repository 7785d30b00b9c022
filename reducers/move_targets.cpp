#include <cstdint>
#include <set>
#include <utility>

#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

constexpr std::int32_t kMostRanks = 16;  // each is tried in the place of each target

// Ranks in whose windows others do something.
std::set<std::int32_t> targets_of(const Scenario& scenario) {
  std::set<std::int32_t> targets;
  for (const RankTrace& rank : scenario.ranks)
    for (const Event& event : rank.events) {
      const auto target = event.extras.target();
      const auto& members = scenario.comm_of(event).ranks;
      if (target && *target >= 0 && static_cast<std::size_t>(*target) < members.size())
        targets.insert(members[static_cast<std::size_t>(*target)]);
    }
  return targets;
}

std::optional<Scenario> without(const Scenario& scenario, std::int32_t target, std::int32_t heir) {
  Selection keep = Selection::all(scenario);
  keep.ranks[static_cast<std::size_t>(target)] = 0;
  return cut(scenario, keep, [&](std::int32_t comm, std::int32_t, std::int32_t) {
    return scenario.comms[static_cast<std::size_t>(comm)].group_rank_of(heir);
  });
}

class MoveTargets final : public Pass {
 public:
  std::string_view name() const override { return "move targets"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return try_in_order(current, [](const ScenarioPtr& now) {
      std::vector<Proposal> proposals;
      if (now->world() > kMostRanks) return proposals;
      for (const std::int32_t target : targets_of(*now))
        for (std::int32_t heir = 0; heir < now->world(); ++heir)
          if (heir != target) proposals.push_back([now, target, heir] { return without(*now, target, heir); });
      return proposals;
    });
  }
};

}  // namespace

PassPtr move_targets() {
  return std::make_unique<MoveTargets>();
}

}  // namespace petri::reduce

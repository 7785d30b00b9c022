#include <map>
#include <utility>

#include "reducers/passes.hpp"
#include "reducers/searches.hpp"
#include "reducers/segments.hpp"

namespace petri::reduce {
namespace {

using Stretch = std::pair<std::int32_t, std::int32_t>;  // step, microbatch

template <class KeyOf>
Units units_by(const Scenario& scenario, KeyOf key_of) {
  std::map<Stretch, std::vector<EventRef>> stretches;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    for (std::uint32_t i = 0; i < scenario.ranks[rank].events.size(); ++i) {
      const EventRef ref{static_cast<std::int32_t>(rank), i};
      if (const auto key = key_of(ref)) stretches[*key].push_back(ref);
    }
  }
  Units units;
  for (const auto& [key, events] : stretches) units.add({{}, {}, events});
  return units;
}

// Whole steps where they are recorded; microbatches once one step is left; repetitions where nothing is recorded.
Units units_of(const Scenario& scenario) {
  Units steps = units_by(scenario, [&](EventRef ref) -> std::optional<Stretch> {
    const std::int32_t step = at(scenario, ref).step;
    return step == kUnset ? std::nullopt : std::optional(Stretch{step, 0});
  });
  if (steps.size() > 1) return steps;
  Units microbatches = units_by(scenario, [&](EventRef ref) -> std::optional<Stretch> {
    const Event& event = at(scenario, ref);
    return event.microbatch == kUnset ? std::nullopt : std::optional(Stretch{event.step, event.microbatch});
  });
  if (microbatches.size() > 1) return microbatches;
  const auto segments = find_segments(scenario);
  return units_by(scenario, [&](EventRef ref) -> std::optional<Stretch> {
    const std::int32_t segment = segments[static_cast<std::size_t>(ref.rank)][ref.index];
    return segment == kNoSegment ? std::nullopt : std::optional(Stretch{segment, 0});
  });
}

class DropSteps final : public Pass {
 public:
  std::string_view name() const override { return "drop steps"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    return remove_units(current, units_of(*current), context);
  }
};

}  // namespace

PassPtr drop_steps() {
  return std::make_unique<DropSteps>();
}

}  // namespace petri::reduce

#include "reducers/pass.hpp"

namespace petri::reduce {

std::int32_t original_rank(const Scenario& scenario, std::int32_t rank) {
  const auto& origin = scenario.header.origin;
  if (!origin || origin->ranks.empty()) return rank;
  return origin->ranks.at(static_cast<std::size_t>(rank));
}

std::vector<EventRef> failure_events(const Scenario& scenario, const PassContext& context) {
  std::vector<EventRef> found;
  if (context.failure.empty()) return found;
  for (std::size_t r = 0; r < scenario.ranks.size(); ++r) {
    const auto rank = static_cast<std::int32_t>(r);
    const std::int32_t original = original_rank(scenario, rank);
    const std::vector<Event>& events = scenario.ranks[r].events;
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (context.failure.contains({original, events[i].seq})) found.push_back({rank, i});
    }
  }
  return found;
}

}  // namespace petri::reduce

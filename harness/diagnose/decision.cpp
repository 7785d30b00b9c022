#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {
namespace {

// A rank's decisions up to where it stands.
std::vector<EventRef> decisions_of(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  std::vector<EventRef> decisions;
  const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  for (std::uint32_t index = 0; index < events.size() && index <= run.index[static_cast<std::size_t>(rank)]; ++index)
    if (!events[index].extras.value().empty()) decisions.push_back({rank, index});
  return decisions;
}

}  // namespace

std::optional<Decision> differing_decision(const Scenario& scenario, const model::Run& run) {
  std::vector<std::vector<EventRef>> all;
  std::size_t most = 0;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    all.push_back(decisions_of(scenario, run, rank));
    most = std::max(most, all.back().size());
  }
  for (std::size_t ordinal = 0; ordinal < most; ++ordinal) {
    std::map<std::string, std::vector<EventRef>> by_value;
    for (const auto& decisions : all)
      if (ordinal < decisions.size())
        by_value[at(scenario, decisions[ordinal]).extras.value()].push_back(decisions[ordinal]);
    if (by_value.size() < 2) continue;
    Decision decision;
    std::vector<std::string> parts;
    for (const auto& [value, events] : by_value) {
      std::vector<std::int32_t> ranks;
      for (const EventRef ref : events) ranks.push_back(ref.rank);
      parts.push_back(fmt::format("\"{}\" on {}", value, ranks_text(ranks)));
      decision.events.push_back(events.front());
    }
    decision.text = fmt::format("the {} recorded decision differs before that: {}",
                                ordinal_text(static_cast<std::int64_t>(ordinal)), fmt::join(parts, ", "));
    return decision;
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis

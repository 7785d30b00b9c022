#include "harness/diagnose/failure_events.hpp"

namespace petri {

std::vector<EventRef> failure_events(const Scenario& scenario, const Diagnosis& diagnosis) {
  std::vector<EventRef> events;
  if (!diagnosis.findings.empty()) events = diagnosis.findings[0].events;
  for (std::size_t rank = 0; rank < diagnosis.blocked.size(); ++rank) {
    const auto& blocked = diagnosis.blocked[rank];
    if (blocked && *blocked < scenario.ranks[rank].events.size())
      events.push_back({static_cast<std::int32_t>(rank), *blocked});
  }
  return events;
}

}  // namespace petri

#include "harness/report/place_of_failure.hpp"

#include <algorithm>

#include "harness/trace/venue.hpp"

#include "harness/report/text.hpp"

namespace petri {
namespace {

bool has_place_on(const Event& event, const Venue& venue) {
  return event.comm == venue.comm && is_positional(event.op) && venue_of(event) == venue;
}

// How many positional operations come there before event `index`: the position at which collectives are matched.
std::size_t position_on(const std::vector<Event>& events, const Venue& venue, std::size_t index) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(index),
                                                [&](const Event& e) { return has_place_on(e, venue); }));
}

// The event at that position, or the number of events.
std::size_t event_at(const std::vector<Event>& events, const Venue& venue, std::size_t position) {
  for (std::size_t i = 0; i < events.size(); ++i)
    if (has_place_on(events[i], venue) && position-- == 0) return i;
  return events.size();
}

std::size_t last_of(const std::vector<Event>& events) {
  return events.empty() ? 0 : events.size() - 1;
}

}  // namespace

std::vector<std::size_t> place_of_failure(const Scenario& scenario, const Diagnosis& diagnosis) {
  std::vector<std::size_t> place(scenario.ranks.size(), 0);
  if (diagnosis.verdict == Verdict::completes) return place;
  for (std::size_t rank = 0; rank < place.size(); ++rank) {
    const bool blocked = rank < diagnosis.blocked.size() && diagnosis.blocked[rank].has_value();
    place[rank] = blocked ? *diagnosis.blocked[rank] : last_of(scenario.ranks[rank].events);
  }
  if (diagnosis.findings.empty() || diagnosis.findings.front().events.empty()) return place;
  const Finding& root = diagnosis.findings.front();
  const EventRef first = root.events.front();
  const Event* event = event_of(scenario, first);
  if (event != nullptr && is_positional(event->op)) {
    const Venue venue = venue_of(*event);
    const std::size_t position =
        position_on(scenario.ranks[static_cast<std::size_t>(first.rank)].events, venue, first.index);
    for (const std::int32_t rank : scenario.comm_of(*event).ranks)
      place[static_cast<std::size_t>(rank)] =
          event_at(scenario.ranks[static_cast<std::size_t>(rank)].events, venue, position);
  }
  // Of several events of one rank, the first is the one that the finding is about.
  for (auto ref = root.events.rbegin(); ref != root.events.rend(); ++ref)
    place[static_cast<std::size_t>(ref->rank)] = ref->index;
  return place;
}

}  // namespace petri

#include "harness/trace/venue.hpp"

namespace petri {

Venue venue_of(const Event& event) {
  Venue venue{event.comm, {}, {}};
  if (creates(event.op)) return venue;
  if (kind_of(event.op) == OpKind::window) venue.window = event.extras.win();
  if (kind_of(event.op) == OpKind::file) venue.file = event.extras.file();
  return venue;
}

std::string name_of(const Scenario& scenario, const Venue& venue) {
  if (!venue.window.empty()) return venue.window;
  if (!venue.file.empty()) return venue.file;
  return scenario.comms[static_cast<std::size_t>(venue.comm)].name;
}

}  // namespace petri

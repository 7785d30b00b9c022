#include "harness/import/window_units.hpp"

namespace petri {

std::int64_t WindowUnits::unit_of(const Event& event, const Scenario& scenario, std::int32_t caller) const {
  const auto window = units_.find(event.extras.win());
  if (window == units_.end()) return 1;
  const Communicator& comm = scenario.comm_of(event);
  const std::int32_t target = event.extras.target().value_or(kNull);
  auto unit = window->second.end();
  if (comm.known && target >= 0) unit = window->second.find(comm.ranks[static_cast<std::size_t>(target)]);
  if (unit == window->second.end()) unit = window->second.find(caller);
  return unit != window->second.end() ? unit->second : 1;
}

void WindowUnits::settle(Scenario& scenario) const {
  if (units_.empty()) return;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    for (Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events) {
      if (kind_of(event.op) != OpKind::rma || !event.extras.disp()) continue;
      const std::int64_t unit = unit_of(event, scenario, rank);
      std::int64_t bytes = 0;
      if (unit <= 0 || __builtin_mul_overflow(*event.extras.disp(), unit, &bytes))
        event.extras.set_disp({});
      else
        event.extras.set_disp(bytes);
    }
}

}  // namespace petri

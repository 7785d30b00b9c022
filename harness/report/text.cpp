#include "harness/report/text.hpp"

namespace petri {

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
  return columns;
}

const Event* event_of(const Scenario& scenario, EventRef ref) {
  const auto& events = scenario.ranks.at(static_cast<std::size_t>(ref.rank)).events;
  return ref.index < events.size() ? &events[ref.index] : nullptr;
}

}  // namespace petri

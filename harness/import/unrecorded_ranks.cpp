#include "harness/import/unrecorded_ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace petri {
namespace {

using Counts = std::map<std::int32_t, std::int64_t>;  // by rank

bool is_missing(const RankTrace& trace) {
  return trace.end.kind == EndKind::missing;
}

bool is_member(const Scenario& scenario, std::size_t comm, std::int32_t rank) {
  const auto& ranks = scenario.comms[comm].ranks;
  return comm == 0 || std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// By communicator: the position behind each recorded rank's last collective there.
std::vector<Counts> calls_made(const Scenario& scenario) {
  std::vector<Counts> made(scenario.comms.size());
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const RankTrace& trace = scenario.ranks[rank];
    const auto number = static_cast<std::int32_t>(rank);
    if (is_missing(trace)) continue;
    for (std::size_t comm = 0; comm < made.size(); ++comm)
      if (scenario.comms[comm].known && is_member(scenario, comm, number)) made[comm][number] = 0;
    for (const auto& [comm, position] : trace.end.joined) made[static_cast<std::size_t>(comm)][number] = position;
    for (const Event& event : trace.events)
      if (kind_of(event.op) == OpKind::collective) ++made[static_cast<std::size_t>(event.comm)][number];
  }
  return made;
}

bool one_is_behind(const Counts& counts) {
  return std::any_of(counts.begin(), counts.end(),
                     [&](const auto& one) { return one.second != counts.begin()->second; });
}

}  // namespace

void join_unrecorded(Scenario& scenario) {
  if (std::none_of(scenario.ranks.begin(), scenario.ranks.end(), is_missing)) return;
  const std::vector<Counts> made = calls_made(scenario);
  const bool any_behind = std::any_of(made.begin(), made.end(), one_is_behind);
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
    if (!is_missing(trace)) continue;
    for (std::size_t comm = 0; comm < made.size(); ++comm) {
      if (made[comm].empty() || !is_member(scenario, comm, rank)) continue;
      std::int64_t common = std::numeric_limits<std::int32_t>::max();
      for (const auto& [other, calls] : made[comm]) common = std::min(common, calls);
      if (!any_behind) --common;
      if (common > 0) trace.end.joined.emplace_back(static_cast<std::int32_t>(comm), static_cast<std::int32_t>(common));
    }
  }
}

}  // namespace petri

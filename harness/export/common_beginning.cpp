#include "harness/export/common_beginning.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace petri {

LeftOut before_common_beginning(const Scenario& scenario) {
  std::vector<std::int32_t> begins(scenario.comms.size(), 0);
  bool said = false;
  for (const RankTrace& rank : scenario.ranks) {
    for (const auto& [comm, position] : rank.end.joined) {
      said = true;
      std::int32_t& begin = begins[static_cast<std::size_t>(comm)];
      begin = std::max(begin, position);
    }
  }
  LeftOut before;
  for (std::size_t number = 0; said && number < scenario.ranks.size(); ++number) {
    const RankTrace& rank = scenario.ranks[number];
    std::map<std::int32_t, std::int64_t> next(rank.end.joined.begin(), rank.end.joined.end());
    for (std::uint32_t index = 0; index < rank.events.size(); ++index) {
      const Event& event = rank.events[index];
      const bool counts = is_positional(event.op) && kind_of(event.op) != OpKind::file &&
                          kind_of(event.op) != OpKind::window && form_of(event.op) != OpForm::persistent;
      if (!counts) continue;
      std::int64_t& position = next[event.comm];
      if (const std::int32_t recorded = event.extras.coll_seq(); recorded != kUnset) position = recorded;
      if (position++ < begins[static_cast<std::size_t>(event.comm)])
        before.emplace(static_cast<std::int32_t>(number), index);
    }
  }
  return before;
}

std::set<std::int32_t> made_at_start(const Scenario& scenario, const LeftOut& left_out, const CommsUsed& uses) {
  std::set<std::int32_t> comms;
  for (std::int32_t number = 0; number < scenario.world(); ++number) {
    const RankTrace& rank = scenario.ranks[static_cast<std::size_t>(number)];
    std::set<std::int32_t> own;
    for (const Event& event : rank.events) {
      if (left_out.count({number, static_cast<std::uint32_t>(&event - rank.events.data())}) != 0) continue;
      for (const std::int32_t comm : uses(event, number))
        if (own.count(comm) == 0) comms.insert(comm);
      if (event.extras.new_comm() != kNoComm) own.insert(event.extras.new_comm());
    }
  }
  return comms;
}

}  // namespace petri

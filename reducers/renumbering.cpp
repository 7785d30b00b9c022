#include "reducers/renumbering.hpp"

namespace petri::reduce {
namespace {

Renumbering renumbering(const std::vector<std::int32_t>& ranks, const std::vector<std::int32_t>& new_rank) {
  Renumbering result;
  for (const std::int32_t global : ranks) {
    const std::int32_t now = new_rank[static_cast<std::size_t>(global)];
    result.now.push_back(now == kGone ? kGone : static_cast<std::int32_t>(result.members.size()));
    if (now != kGone) result.members.push_back(now);
  }
  return result;
}

}  // namespace

std::int32_t Renumbering::heir_of(std::int32_t old) const {
  auto heir = static_cast<std::size_t>(old);
  for (std::size_t tried = 0; tried < now.size(); ++tried, heir = (heir + 1) % now.size())
    if (now[heir] != kGone) return now[heir];
  return kGone;
}

GroupMap map_group(const Communicator& comm, const std::vector<std::int32_t>& new_rank, bool wanted,
                   bool with_stand_ins) {
  GroupMap map;
  map.group = renumbering(comm.ranks, new_rank);
  map.remote = renumbering(comm.remote, new_rank);
  if (comm.is_inter()) map.local.insert(comm.ranks.begin(), comm.ranks.end());
  const bool populated = !map.group.members.empty() && (!comm.is_inter() || !map.remote.members.empty());
  map.kept = wanted && (!comm.known || populated);
  map.whole = !comm.known || (map.group.whole() && map.remote.whole());
  if (!map.whole && with_stand_ins && !comm.is_inter())
    for (std::size_t i = 0; i < comm.ranks.size(); ++i)
      map.group_rank.emplace(comm.ranks[i], static_cast<std::int32_t>(i));
  return map;
}

}  // namespace petri::reduce

// The members of a communicator before and after some ranks left.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

inline constexpr std::int32_t kGone = -1;

// One group before and after: the group rank that each old one becomes, or kGone.
struct Renumbering {
  std::vector<std::int32_t> now;
  std::vector<std::int32_t> members;  // new global ranks
  bool whole() const { return members.size() == now.size(); }
  // The next kept member from an old group rank on, by its new group rank; kGone where nobody is left.
  std::int32_t heir_of(std::int32_t old) const;
};

// One communicator before and after.
struct GroupMap {
  bool kept = false;
  bool whole = true;  // nobody left, or the members are unknown: arguments stay as they are
  Renumbering group, remote;
  std::unordered_map<std::int32_t, std::int32_t> group_rank;  // of old global ranks, where somebody may stand in
  std::unordered_set<std::int32_t> local;                     // an intercommunicator's first group, old global ranks

  // The group in which a member names its peers.
  const Renumbering& peers_of(std::int32_t rank) const { return local.count(rank) != 0 ? remote : group; }
};

// `new_rank` is by old global rank, kGone for one that left. `wanted`: the communicator is to stay where it still has
// members. `with_stand_ins`: group ranks of those who name a dropped peer will be asked for.
GroupMap map_group(const Communicator& comm, const std::vector<std::int32_t>& new_rank, bool wanted,
                   bool with_stand_ins);

}  // namespace petri::reduce

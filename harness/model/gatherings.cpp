#include "harness/model/gatherings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace petri::model {

bool join(Op one, Op other) {
  return one == other || (info(one).family == info(other).family && form_of(one) == form_of(other));
}

Gatherings::Gatherings(const Scenario& scenario)
    : scenario_(scenario),
      first_kept_(scenario.comms.size()),
      next_(scenario.ranks.size()),
      by_position_(scenario.comms.size()),
      outside_next_(scenario.ranks.size()) {
  infer_members();
  note_truncated();
}

// The members that the calls creating a communicator name: the parent's for a copy, the named ones for a group, those
// with one colour for a split. Nothing where that does not tell.
std::vector<std::int32_t> Gatherings::members_from_creation(std::int32_t comm) const {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> callers;  // key, rank on the parent, global rank
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
    for (const Event& event : scenario_.ranks[rank].events) {
      if (event.new_comm != comm) continue;
      const auto& parent = ranks_of(event.comm);
      const std::string_view family = info(event.op).family;
      if (family == "comm_dup" || family == "dist_graph_create" || family == "dist_graph_create_adjacent")
        return parent;
      if (family == "comm_create" || family == "comm_create_group") {
        std::vector<std::int32_t> members;
        for (const std::int32_t group : event.extras->ranks)
          if (group >= 0 && static_cast<std::size_t>(group) < parent.size())
            members.push_back(parent[static_cast<std::size_t>(group)]);
        return members;
      }
      if (family != "comm_split" && family != "comm_split_type" && family != "cart_sub") return {};
      const auto global = static_cast<std::int32_t>(rank);
      callers.emplace_back(event.extras->key.value_or(0), group_rank(event.comm, global), global);
    }
  }
  std::sort(callers.begin(), callers.end());
  std::vector<std::int32_t> members;
  for (const auto& [key, group, global] : callers) members.push_back(global);
  return members;
}

// Where neither a declaration nor its creation tells the members of a communicator, those that use it stand in.
void Gatherings::infer_members() {
  for (std::size_t comm = 0; comm < scenario_.comms.size(); ++comm) {
    std::vector<std::int32_t> members = scenario_.comms[comm].ranks;
    known_.push_back(scenario_.comms[comm].known);
    if (!known_.back()) {
      members = members_from_creation(static_cast<std::int32_t>(comm));
      known_.back() = !members.empty();
    }
    if (!known_.back()) {
      std::set<std::int32_t> users;
      for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank)
        for (const Event& event : scenario_.ranks[rank].events)
          if (event.comm == static_cast<std::int32_t>(comm)) users.insert(static_cast<std::int32_t>(rank));
      members.assign(users.begin(), users.end());
    }
    auto& index = index_.emplace_back();
    for (std::size_t group = 0; group < members.size(); ++group)
      index.emplace(members[group], static_cast<std::int32_t>(group));
    ranks_.push_back(std::move(members));
  }
}

// A rank whose ring buffer lost events took part in every position before the first one that it kept.
void Gatherings::note_truncated() {
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
    if (scenario_.ranks[rank].end.dropped == 0) continue;
    for (const Event& event : scenario_.ranks[rank].events)
      if (event.coll_seq != kUnset && is_positional(event.op))
        first_kept_[static_cast<std::size_t>(event.comm)].emplace(static_cast<std::int32_t>(rank), event.coll_seq);
  }
}

std::int32_t Gatherings::group_rank(std::int32_t comm, std::int32_t global) const {
  const auto& index = index_[static_cast<std::size_t>(comm)];
  const auto found = index.find(global);
  return found == index.end() ? -1 : found->second;
}

const std::vector<std::int32_t>& Gatherings::members(const Gathering& gathering) const {
  return gathering.members.empty() ? ranks_of(gathering.comm) : gathering.members;
}

std::int32_t Gatherings::member_index(const Gathering& gathering, std::int32_t global) const {
  if (gathering.members.empty()) return group_rank(gathering.comm, global);
  const auto found = std::find(gathering.members.begin(), gathering.members.end(), global);
  return found == gathering.members.end() ? -1 : static_cast<std::int32_t>(found - gathering.members.begin());
}

std::uint32_t Gatherings::open(std::int32_t comm, std::int64_t position, std::vector<std::int32_t> members) {
  Gathering gathering;
  gathering.comm = comm;
  gathering.position = position;
  gathering.members = std::move(members);
  const auto& all = this->members(gathering);
  gathering.arrivals.assign(all.size(), kAbsent);
  gathering.missing = static_cast<std::uint32_t>(all.size());
  if (gathering.members.empty()) {
    for (const auto& [rank, first] : first_kept_[static_cast<std::size_t>(comm)]) {
      if (position >= first) continue;
      gathering.arrivals[static_cast<std::size_t>(group_rank(comm, rank))] = kBefore;
      --gathering.missing;
    }
  }
  all_.push_back(std::move(gathering));
  return static_cast<std::uint32_t>(all_.size() - 1);
}

// comm_create_group is collective over the new group only, and matched by group and tag (MPI 4.1, section 7.4.2).
std::uint32_t Gatherings::outside_sequence(EventRef ref) {
  const Event& event = at(scenario_, ref);
  std::vector<std::int32_t> members;
  for (const std::int32_t group : event.extras->ranks)
    if (group >= 0 && static_cast<std::size_t>(group) < ranks_of(event.comm).size())
      members.push_back(ranks_of(event.comm)[static_cast<std::size_t>(group)]);
  if (std::find(members.begin(), members.end(), ref.rank) == members.end()) members.push_back(ref.rank);
  const std::string name = fmt::format("{}:{}:{}", event.comm, fmt::join(members, ","), tag_of(event));
  const std::int64_t occurrence = outside_next_[static_cast<std::size_t>(ref.rank)][name]++;
  const auto [place, inserted] = outside_.try_emplace({name, occurrence}, 0);
  if (inserted) place->second = open(event.comm, occurrence, std::move(members));
  return place->second;
}

std::uint32_t Gatherings::arrive(EventRef ref) {
  const Event& event = at(scenario_, ref);
  std::uint32_t number = 0;
  if (is_positional(event.op)) {
    std::int64_t& next = next_[static_cast<std::size_t>(ref.rank)][event.comm];
    if (event.coll_seq != kUnset) next = event.coll_seq;
    const auto [place, inserted] = by_position_[static_cast<std::size_t>(event.comm)].try_emplace(next, 0);
    if (inserted) place->second = open(event.comm, next, {});
    number = place->second;
    ++next;
  } else {
    number = outside_sequence(ref);
  }
  Gathering& gathering = all_[number];
  const auto member = static_cast<std::uint32_t>(member_index(gathering, ref.rank));
  if (gathering.arrivals[member] == kAbsent) --gathering.missing;
  gathering.arrivals[member] = ref.index;
  if (gathering.first == kAbsent) {
    gathering.first = member;
  } else {
    const EventRef first{members(gathering)[gathering.first], gathering.arrivals[gathering.first]};
    if (!join(at(scenario_, first).op, event.op)) gathering.conflicted = true;
  }
  return number;
}

}  // namespace petri::model

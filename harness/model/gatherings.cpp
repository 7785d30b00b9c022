#include "harness/model/gatherings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <string_view>
#include <tuple>

namespace petri::model {

bool join(Op one, Op other) {
  return one == other || (info(one).family == info(other).family && form_of(one) == form_of(other));
}

namespace {

constexpr std::size_t kArrivalsInAChunk = 1 << 14;

bool ascend(const std::vector<std::int32_t>& ranks) {
  return std::adjacent_find(ranks.begin(), ranks.end(), std::greater_equal<>()) == ranks.end();
}

// Where a rank stands among ascending ones, or -1. Most groups are a row with one step: then the first look is enough.
std::int32_t place_among(const std::vector<std::int32_t>& ranks, std::int32_t global) {
  if (ranks.empty() || global < ranks.front() || global > ranks.back()) return -1;
  const std::int64_t most = static_cast<std::int64_t>(ranks.size()) - 1, length = ranks.back() - ranks.front();
  const std::int64_t guess = length == 0 ? 0 : most * (global - ranks.front()) / length;
  if (ranks[static_cast<std::size_t>(guess)] == global) return static_cast<std::int32_t>(guess);
  const auto found = std::lower_bound(ranks.begin(), ranks.end(), global);
  return *found == global ? static_cast<std::int32_t>(found - ranks.begin()) : -1;
}

std::vector<std::int32_t> united(std::vector<std::int32_t> one, const std::vector<std::int32_t>& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

Gatherings::Gatherings(const Scenario& scenario)
    : scenario_(scenario),
      next_(scenario.ranks.size()),
      by_position_(scenario.comms.size()),
      outside_next_(scenario.ranks.size()) {
  infer_members();
  note_joined();
  note_truncated();
}

// Windows and files have positions of their own.
std::int32_t Gatherings::venue_number(const Event& event) {
  if (kind_of(event.op) != OpKind::window && kind_of(event.op) != OpKind::file) return event.comm;
  const Venue venue = petri::venue_of(event);
  if (venue.window.empty() && venue.file.empty()) return event.comm;
  const auto [place, fresh] = venues_.try_emplace(venue, static_cast<std::int32_t>(by_position_.size()));
  if (fresh) by_position_.emplace_back();
  return place->second;
}

Venue Gatherings::venue_of(const Gathering& gathering) const {
  for (const auto& [venue, number] : venues_)
    if (number == gathering.venue) return venue;
  return {gathering.comm, {}, {}};
}

// The members that the calls creating a communicator name: the parent's for a copy, the named ones for a group, those
// with one colour for a split. Nothing where that does not tell.
std::vector<std::int32_t> Gatherings::members_from_creation(std::int32_t comm) {
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> callers;  // key, rank on the parent, global rank
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
    for (const Event& event : scenario_.ranks[rank].events) {
      if (event.extras.new_comm() != comm) continue;
      const auto& parent = ranks_of(event.comm);
      const std::string_view family = info(event.op).family;
      const auto global = static_cast<std::int32_t>(rank);
      if (family == "comm_dup" || family == "dist_graph_create" || family == "dist_graph_create_adjacent") {
        first_group_.back() = first_group_[static_cast<std::size_t>(event.comm)];
        return parent;
      }
      if (family == "intercomm_merge") return parent;
      if (family == "comm_create" || family == "comm_create_group" || family == "comm_create_from_group")
        return named_members(event, -1);
      if (family != "comm_split" && family != "comm_split_type" && family != "cart_sub") return {};
      callers.emplace_back(event.extras.key().value_or(0), group_rank(event.comm, global), global);
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
    const Communicator& declared = scenario_.comms[comm];
    first_group_.push_back(declared.is_inter() ? static_cast<std::int32_t>(declared.ranks.size()) : 0);
    known_.push_back(declared.known);
    if (declared.known && !declared.is_inter()) {  // as with most
      keep_members(&declared.ranks);
      continue;
    }
    std::vector<std::int32_t> members = united(declared.ranks, declared.remote);
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
    keep_members(&own_ranks_.emplace_back(std::move(members)));
  }
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank)
    for (const Event& event : scenario_.ranks[rank].events)
      if (event.extras.new_comm() != kNoComm &&
          !(event.extras.sources().empty() && event.extras.destinations().empty()))
        topologies_[{event.extras.new_comm(), static_cast<std::int32_t>(rank)}] = &event;
}

void Gatherings::keep_members(const std::vector<std::int32_t>* members) {
  const auto comm = static_cast<std::int32_t>(ranks_.size());
  ranks_.push_back(members);
  if (ascend(*members)) return;
  auto& index = index_[comm];
  for (std::size_t group = 0; group < members->size(); ++group)
    index.emplace((*members)[group], static_cast<std::int32_t>(group));
}

// What a record says of positions before its events, for ranks whose first events there are lost or were never kept.
void Gatherings::note_joined() {
  std::vector<std::int64_t> least(scenario_.comms.size(), std::numeric_limits<std::int64_t>::max());
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
    for (const auto& [comm, position] : scenario_.ranks[rank].end.joined) {
      const auto slot = static_cast<std::size_t>(comm);
      if (group_rank(comm, static_cast<std::int32_t>(rank)) < 0) continue;
      next_[rank][comm] = position;
      first_kept_[comm].emplace(static_cast<std::int32_t>(rank), position);
      least[slot] = std::min<std::int64_t>(least[slot], position);
      by_position_[slot].begin = least[slot];
    }
  }
}

bool Gatherings::place_known(EventRef ref) {
  const Event& event = at(scenario_, ref);
  return event.extras.coll_seq() != kUnset || next_[static_cast<std::size_t>(ref.rank)].contains(venue_number(event));
}

// A rank whose ring buffer lost events took part in every position before the first one that it kept.
void Gatherings::note_truncated() {
  for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
    if (scenario_.ranks[rank].end.dropped == 0) continue;
    for (const Event& event : scenario_.ranks[rank].events)
      if (event.extras.coll_seq() != kUnset && is_positional(event.op))
        first_kept_[venue_number(event)].emplace(static_cast<std::int32_t>(rank), event.extras.coll_seq());
  }
}

std::int32_t Gatherings::group_rank(std::int32_t comm, std::int32_t global) const {
  if (const auto place = index_.find(comm); place != index_.end()) {
    const auto found = place->second.find(global);
    return found == place->second.end() ? -1 : found->second;
  }
  return place_among(ranks_of(comm), global);
}

std::int32_t Gatherings::peer_index(std::int32_t comm, std::int32_t self, std::int32_t peer) const {
  if (peer < 0) return -1;
  const std::int32_t first = first_group_[static_cast<std::size_t>(comm)];
  const auto all = static_cast<std::int32_t>(ranks_of(comm).size());
  const bool across = first > 0 && group_rank(comm, self) < first;
  const std::int32_t index = across ? first + peer : peer;
  return index < (first > 0 && !across ? first : all) ? index : -1;
}

const Event* Gatherings::topology_of(std::int32_t comm, std::int32_t global) const {
  const auto found = topologies_.find({comm, global});
  return found == topologies_.end() ? nullptr : found->second;
}

const std::vector<std::int32_t>& Gatherings::members(const Gathering& gathering) const {
  return gathering.named == kNoGathering ? ranks_of(gathering.comm) : named_[gathering.named];
}

std::int32_t Gatherings::member_index(const Gathering& gathering, std::int32_t global) const {
  if (gathering.named == kNoGathering) return group_rank(gathering.comm, global);
  const auto& members = named_[gathering.named];
  const auto found = std::find(members.begin(), members.end(), global);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

std::optional<std::uint32_t> Gatherings::lane_of_queued(const Gathering& gathering, std::uint32_t member) const {
  const auto found = queued_.find(&gathering.arrivals[member]);
  return found == queued_.end() ? std::nullopt : std::optional(found->second);
}

bool Gatherings::complete(const Gathering& gathering) const {
  if (gathering.missing != 0 || gathering.conflicted) return false;
  return !gathering.bridges || (gathering.across != kNoGathering && all_[gathering.across].missing == 0);
}

std::uint32_t Gatherings::open(std::int32_t comm, std::int64_t position, std::vector<std::int32_t> members) {
  Gathering gathering;
  gathering.comm = gathering.venue = comm;
  gathering.position = position;
  if (!members.empty()) {
    gathering.named = static_cast<std::uint32_t>(named_.size());
    named_.push_back(std::move(members));
  }
  const std::size_t size = this->members(gathering).size();
  gathering.arrivals = room_for(size);
  gathering.missing = static_cast<std::uint32_t>(size);
  all_.push_back(gathering);
  return static_cast<std::uint32_t>(all_.size() - 1);
}

// Arrivals of many gatherings lie in one chunk: a job has hundreds of thousands of small ones.
std::span<std::uint32_t> Gatherings::room_for(std::size_t arrivals) {
  if (room_ < arrivals) {
    room_ = std::max(arrivals, kArrivalsInAChunk);
    arrivals_.push_back(std::make_unique_for_overwrite<std::uint32_t[]>(room_));
    chunk_end_ = arrivals_.back().get() + room_;
  }
  const std::span room(chunk_end_ - room_, arrivals);
  room_ -= arrivals;
  std::fill(room.begin(), room.end(), kAbsent);
  return room;
}

std::uint32_t& Gatherings::Positions::at(std::int64_t position) {
  const auto next = begin + static_cast<std::int64_t>(first.size());
  if (position >= begin && position < next) return first[static_cast<std::size_t>(position - begin)];
  if (position != next || beyond.contains(position)) return beyond.try_emplace(position, kNoGathering).first->second;
  return first.emplace_back(kNoGathering);
}

std::uint32_t Gatherings::at_position(EventRef ref) {
  const Event& event = at(scenario_, ref);
  const std::int32_t venue = venue_number(event);
  std::int64_t& next = next_[static_cast<std::size_t>(ref.rank)][venue];
  if (event.extras.coll_seq() != kUnset) next = event.extras.coll_seq();
  const std::int64_t position = next++;
  std::uint32_t& place = by_position_[static_cast<std::size_t>(venue)].at(position);
  if (place != kNoGathering) return place;
  const std::uint32_t number = place = open(event.comm, position, {});
  all_[number].venue = venue;
  const auto kept = first_kept_.find(venue);
  if (kept == first_kept_.end()) return number;
  for (const auto& [rank, first] : kept->second) {
    if (position >= first) continue;
    all_[number].arrivals[static_cast<std::size_t>(group_rank(event.comm, rank))] = kBefore;
    --all_[number].missing;
  }
  return number;
}

// Global ranks of the members that a creation names; `rank` calls it, so it is one (-1: nobody to add).
std::vector<std::int32_t> Gatherings::named_members(const Event& event, std::int32_t rank) const {
  std::vector<std::int32_t> members;
  for (const std::int32_t group : event.extras.ranks())
    if (group >= 0 && static_cast<std::size_t>(group) < ranks_of(event.comm).size())
      members.push_back(ranks_of(event.comm)[static_cast<std::size_t>(group)]);
  if (rank >= 0 && std::find(members.begin(), members.end(), rank) == members.end()) members.push_back(rank);
  return members;
}

// Collective over the new group only, and matched by group and tag (MPI 4.1, section 7.4.2); NCCL's by the members that
// share one id.
std::uint32_t Gatherings::outside_sequence(EventRef ref) {
  const Event& event = at(scenario_, ref);
  if (event.op == Op::intercomm_create) return bridge_side(ref);
  // Where nobody tells who shares the id, each is taken to be alone: who is missing cannot be known.
  const bool by_id =
      event.op == Op::comm_init_rank && event.extras.new_comm() != kNoComm && members_known(event.extras.new_comm());
  std::vector<std::int32_t> members = by_id ? ranks_of(event.extras.new_comm()) : named_members(event, ref.rank);
  if (std::find(members.begin(), members.end(), ref.rank) == members.end()) members.push_back(ref.rank);
  const std::string name =
      by_id ? fmt::format("id {}", event.extras.new_comm())
            : fmt::format("{}:{}:{}:{}", event.comm, fmt::join(members, ","), tag_of(event), event.extras.value());
  const std::int64_t occurrence = outside_next_[static_cast<std::size_t>(ref.rank)][name]++;
  const auto [place, inserted] = outside_.try_emplace({name, occurrence}, 0);
  if (inserted) place->second = open(by_id ? event.extras.new_comm() : event.comm, occurrence, std::move(members));
  return place->second;
}

// intercomm_create gathers each group on its own communicator; the leaders name each other and a tag on a third
// (MPI 4.1, section 7.6.2). Only a leader's word on the other side counts.
std::uint32_t Gatherings::bridge_side(EventRef ref) {
  const Event& event = at(scenario_, ref);
  const std::string name = fmt::format("bridge {}:{}", event.comm, event.root);
  const std::int64_t occurrence = outside_next_[static_cast<std::size_t>(ref.rank)][name]++;
  const auto [place, inserted] = outside_.try_emplace({name, occurrence}, 0);
  if (inserted) {
    place->second = open(event.comm, occurrence, {});
    all_[place->second].bridges = true;
  }
  if (group_rank(event.comm, ref.rank) == event.root) meet_across(place->second, event, ref.rank);
  return place->second;
}

void Gatherings::meet_across(std::uint32_t side, const Event& leader, std::int32_t leader_rank) {
  const std::int32_t bridge = scenario_.find_comm(leader.extras.remote().empty() ? "world" : leader.extras.remote());
  if (bridge == kNoComm) return;
  const std::int32_t index = peer_index(bridge, leader_rank, leader.peer);
  if (index < 0) return;
  const std::int32_t other = ranks_of(bridge)[static_cast<std::size_t>(index)];
  const auto key = [&](std::int32_t from, std::int32_t to) {
    return fmt::format("{} {}→{} {}", bridge, from, to, tag_of(leader));
  };
  const auto waiting = waiting_sides_.find(key(other, leader_rank));
  if (waiting == waiting_sides_.end()) {
    waiting_sides_.emplace(key(leader_rank, other), side);
    return;
  }
  all_[side].across = waiting->second;
  all_[waiting->second].across = side;
  waiting_sides_.erase(waiting);
}

std::uint32_t Gatherings::place(EventRef ref) {
  return is_positional(at(scenario_, ref).op) ? at_position(ref) : outside_sequence(ref);
}

std::uint32_t Gatherings::arrive(EventRef ref) {
  const std::uint32_t number = place(ref);
  arrive_at(number, ref);
  return number;
}

std::uint32_t Gatherings::reserve(EventRef ref, std::uint32_t lane) {
  const std::uint32_t number = place(ref);
  queued_[&all_[number].arrivals[static_cast<std::size_t>(member_index(all_[number], ref.rank))]] = lane;
  return number;
}

std::uint32_t Gatherings::start(std::uint32_t init, std::uint32_t occurrence, EventRef ref) {
  const auto [place, inserted] = starts_.try_emplace({init, occurrence}, 0);
  if (inserted) {
    place->second = open(all_[init].comm, all_[init].position,
                         all_[init].named == kNoGathering ? std::vector<std::int32_t>{} : named_[all_[init].named]);
    all_[place->second].start_of = init;
  }
  arrive_at(place->second, ref);
  return place->second;
}

void Gatherings::arrive_at(std::uint32_t number, EventRef ref) {
  Gathering& gathering = all_[number];
  const auto member = static_cast<std::uint32_t>(member_index(gathering, ref.rank));
  if (gathering.arrivals[member] == kAbsent) --gathering.missing;
  gathering.arrivals[member] = ref.index;
  if (!queued_.empty()) queued_.erase(&gathering.arrivals[member]);
  if (gathering.first == kAbsent) {
    gathering.first = member;
    return;
  }
  const EventRef first{members(gathering)[gathering.first], gathering.arrivals[gathering.first]};
  if (!join(at(scenario_, first).op, at(scenario_, ref).op)) gathering.conflicted = true;
}

}  // namespace petri::model

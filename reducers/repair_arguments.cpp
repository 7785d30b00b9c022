#include "reducers/repair_arguments.hpp"

#include <algorithm>
#include <utility>

namespace petri::reduce {
namespace {

class ArgumentRepair {
 public:
  explicit ArgumentRepair(const CutGroups& cut)
      : base_(cut.base), groups_(cut.groups), new_rank_(cut.new_rank), stand_in_(cut.stand_in) {}

  bool fix(Event& event, std::int32_t rank) const {
    if (!group_of(event).kept) return false;
    if (event.op == Op::intercomm_create && !fix_leaders(event, rank)) return false;
    fix_neighbours(event);
    if (event.extras.new_comm() != kNoComm && !groups_[static_cast<std::size_t>(event.extras.new_comm())].kept)
      event.extras.set_new_comm(kNoComm);
    if (event.op == Op::intercomm_create) return true;
    switch (kind_of(event.op)) {
      case OpKind::send:
      case OpKind::recv:
      case OpKind::probe:
        if (!fix_one_sided_peer(event, rank)) return false;
        break;
      case OpKind::sendrecv:
        if (!fix_sendrecv(event, rank)) return false;
        break;
      default: fix_root_here(event, rank); fix_root(event, rank);
    }
    return fix_extras(event, rank);
  }

 private:
  const GroupMap& group_of(const Event& event) const { return groups_[static_cast<std::size_t>(event.comm)]; }

  // The new group rank of a peer argument of `rank`; kGone when it is dropped and nobody stands in.
  std::int32_t renumber(const Event& event, std::int32_t rank, std::int32_t peer) const {
    const GroupMap& group = group_of(event);
    const Renumbering& peers = group.peers_of(rank);
    const bool names_member = peer >= 0 && static_cast<std::size_t>(peer) < peers.now.size();
    if (group.whole || !names_member) return peer;
    const std::int32_t now = peers.now[static_cast<std::size_t>(peer)];
    if (now != kGone || !stand_in_) return now;
    const auto self = group.group_rank.find(rank);
    if (self == group.group_rank.end()) return kGone;
    const std::int32_t other = stand_in_(event.comm, self->second, peer);
    return other < 0 ? kGone : peers.now[static_cast<std::size_t>(other)];
  }

  static bool renumbered(std::int32_t& argument, std::int32_t now) {
    argument = now;
    return now != kGone;
  }

  // Each returns false when the event goes.
  bool fix_one_sided_peer(Event& event, std::int32_t rank) const {
    if (event.peer != kUnset && !renumbered(event.peer, renumber(event, rank, event.peer))) return false;
    const std::int32_t matched = event.extras.matched();
    if (matched == kUnset) return true;
    const std::int32_t now = renumber(event, rank, matched);
    if (now != kGone) event.extras.set_matched(now);
    return now != kGone;
  }

  bool fix_sendrecv(Event& event, std::int32_t rank) const {
    const EventExtras& x = event.extras;
    const std::int32_t to = x.sendpeer() != kUnset ? x.sendpeer() : event.peer;
    const std::int32_t from = x.recvpeer() != kUnset ? x.recvpeer() : event.peer;
    const std::int32_t to_now = renumber(event, rank, to);
    std::int32_t from_now = renumber(event, rank, from);
    const std::int32_t matched_now = renumber(event, rank, x.matched());
    if (matched_now == kGone) from_now = kGone;
    const bool lost = to_now == kGone || from_now == kGone;
    const auto silent = [](std::int32_t peer) { return peer == kGone || peer == kNull; };
    if (lost && silent(to_now) && silent(from_now)) return false;
    const bool separate = x.sendpeer() != kUnset || x.recvpeer() != kUnset;
    event.extras.set_matched(from_now == kGone ? kUnset : matched_now);
    if (!lost && !separate) {
      event.peer = to_now;
      return true;
    }
    EventExtras& edit = event.extras;
    event.peer = kUnset;
    edit.set_sendpeer(to_now == kGone ? kNull : to_now);
    edit.set_recvpeer(from_now == kGone ? kNull : from_now);
    return true;
  }

  void fix_root(Event& event, std::int32_t rank) const {
    const GroupMap& group = group_of(event);
    const Renumbering& peers = group.peers_of(rank);
    if (group.whole || event.root < 0 || static_cast<std::size_t>(event.root) >= peers.now.size()) return;
    event.root = peers.heir_of(event.root);
  }

  // On an intercommunicator whose root is gone, the first of its group that is left becomes the root.
  void fix_root_here(Event& event, std::int32_t rank) const {
    const GroupMap& map = group_of(event);
    if (map.whole || map.local.empty() || !is_rooted(event.op) || event.root != kNull) return;
    const Renumbering& own = &map.peers_of(rank) == &map.remote ? map.group : map.remote;
    const bool is_first = !own.members.empty() && own.members.front() == new_rank_[static_cast<std::size_t>(rank)];
    if (is_first && !root_is_kept(event, rank)) event.root = kRootHere;
  }

  // Is there a kept call at which a member of the caller's group says that it is the root?
  bool root_is_kept(const Event& event, std::int32_t rank) const {
    const Communicator& comm = base_.comm_of(event);
    const bool local = std::find(comm.ranks.begin(), comm.ranks.end(), rank) != comm.ranks.end();
    for (const std::int32_t member : local ? comm.ranks : comm.remote) {
      if (new_rank_[static_cast<std::size_t>(member)] == kGone) continue;
      for (const Event& other : base_.ranks[static_cast<std::size_t>(member)].events)
        if (other.comm == event.comm && other.op == event.op && other.root == kRootHere) return true;
    }
    return false;
  }

  // The other group's leader may be gone: then the next kept member of that group leads it, on both sides alike.
  bool fix_leaders(Event& event, std::int32_t rank) const {
    fix_root(event, rank);
    const std::int32_t bridge = base_.find_comm(event.extras.remote().empty() ? "world" : event.extras.remote());
    if (bridge == kNoComm || event.peer < 0) return true;
    const Communicator& names = base_.comms[static_cast<std::size_t>(bridge)];
    const Renumbering& there = groups_[static_cast<std::size_t>(bridge)].group;
    if (names.is_inter() || !groups_[static_cast<std::size_t>(bridge)].kept) return false;
    if (static_cast<std::size_t>(event.peer) >= there.now.size() || there.whole()) return true;
    const std::int32_t leader = names.ranks[static_cast<std::size_t>(event.peer)];
    std::int32_t heir = new_rank_[static_cast<std::size_t>(leader)];
    if (heir == kGone && event.extras.new_comm() != kNoComm) {
      const Communicator& made = base_.comms[static_cast<std::size_t>(event.extras.new_comm())];
      const GroupMap& map = groups_[static_cast<std::size_t>(event.extras.new_comm())];
      const Renumbering& across = map.peers_of(rank);
      const std::int32_t old = made.group_rank_of(leader);
      const std::int32_t next = old < 0 || !made.is_inter() ? kGone : across.heir_of(old);
      if (next != kGone) heir = across.members[static_cast<std::size_t>(next)];
    }
    const auto found = std::find(there.members.begin(), there.members.end(), heir);
    if (heir == kGone || found == there.members.end()) return false;
    event.peer = static_cast<std::int32_t>(found - there.members.begin());
    return true;
  }

  static std::vector<std::int64_t> of_members(std::vector<std::int64_t> per_member, const Renumbering& group) {
    if (group.whole() || per_member.size() != group.now.size()) return per_member;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < group.now.size(); ++i) {
      if (group.now[i] != kGone) per_member[kept++] = per_member[i];
    }
    per_member.resize(kept);
    return per_member;
  }

  // Neighbours are ranks of the communicator that is made. A grid with holes is a grid no more.
  void fix_neighbours(Event& event) const {
    if (event.extras.new_comm() == kNoComm) return;
    const GroupMap& made = groups_[static_cast<std::size_t>(event.extras.new_comm())];
    const EventExtras& now = event.extras;
    const bool is_topology =
        !(now.sources().empty() && now.destinations().empty() && now.dims().empty() && now.periods().empty());
    if (made.whole || !is_topology) return;
    EventExtras& x = event.extras;
    x.set_sources(neighbours_now(x.sources(), made.group));
    x.set_destinations(neighbours_now(x.destinations(), made.group));
    x.set_dims({});
    x.set_periods({});
  }

  static std::vector<std::int32_t> neighbours_now(const std::vector<std::int32_t>& old, const Renumbering& group) {
    std::vector<std::int32_t> now;
    for (const std::int32_t neighbour : old) {
      const bool exists = neighbour >= 0 && static_cast<std::size_t>(neighbour) < group.now.size();
      const std::int32_t one = exists ? group.now[static_cast<std::size_t>(neighbour)] : kGone;
      if (one != kGone) now.push_back(one);
    }
    return now;
  }

  // The counts of a neighbour collective, one for each neighbour, follow the neighbours.
  void fix_neighbour_counts(Event& event, std::int32_t rank) const {
    const auto& events = base_.ranks[static_cast<std::size_t>(rank)].events;
    const auto maker = std::find_if(events.begin(), events.end(),
                                    [&](const Event& other) { return other.extras.new_comm() == event.comm; });
    if (maker == events.end()) return;
    const Renumbering& group = group_of(event).group;
    const auto kept_of = [&](PackedNumbers<std::int64_t> counts, PackedNumbers<std::int32_t> neighbours) {
      if (counts.size() != neighbours.size()) return counts.vector();
      std::vector<std::int64_t> kept;
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (!neighbours_now({neighbours[i]}, group).empty()) kept.push_back(counts[i]);
      return kept;
    };
    EventExtras& x = event.extras;
    x.set_sendcounts(kept_of(x.sendcounts(), maker->extras.destinations()));
    x.set_recvcounts(kept_of(x.recvcounts(), maker->extras.sources()));
  }

  static bool names_members(const EventExtras& x) {
    return x.target() || !x.ranks().empty() || !x.counts().empty() || !x.sendcounts().empty() ||
           !x.recvcounts().empty();
  }

  bool fix_extras(Event& event, std::int32_t rank) const {
    const GroupMap& group = group_of(event);
    if (group.whole || !names_members(event.extras)) return true;
    EventExtras& x = event.extras;
    if (x.target()) {
      const std::int32_t now = renumber(event, rank, *x.target());
      if (now == kGone) return false;
      x.set_target(now);
    }
    std::vector<std::int32_t> named;
    for (const std::int32_t member : x.ranks()) {
      const bool exists = member >= 0 && static_cast<std::size_t>(member) < group.group.now.size();
      const std::int32_t now = exists ? group.group.now[static_cast<std::size_t>(member)] : member;
      if (now != kGone) named.push_back(now);
    }
    const bool met_somebody = !x.ranks().empty();
    x.set_ranks(std::move(named));
    // A post or start that meets nobody any more goes, and what completes it.
    if (met_somebody && x.ranks().empty() && kind_of(event.op) == OpKind::window) return false;
    if ((info(event.op).traits & kNeighbor) != 0) {
      fix_neighbour_counts(event, rank);
    } else {
      const Renumbering& members = group.peers_of(rank);
      x.set_counts(of_members(x.counts(), members));
      x.set_sendcounts(of_members(x.sendcounts(), members));
      x.set_recvcounts(of_members(x.recvcounts(), members));
    }
    return true;
  }

  const Scenario& base_;
  const std::vector<GroupMap>& groups_;
  const std::vector<std::int32_t>& new_rank_;
  const StandIn& stand_in_;
};

}  // namespace

bool repair_arguments(Event& event, std::int32_t rank, const CutGroups& cut) {
  return ArgumentRepair(cut).fix(event, rank);
}

}  // namespace petri::reduce

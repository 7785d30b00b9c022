#include "reducers/repair.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "harness/trace/extras_pool.hpp"
#include "harness/trace/venue.hpp"
#include "reducers/requests.hpp"

namespace petri::reduce {
namespace {

constexpr std::int32_t kGone = -1;

// One group before and after: the group rank that each old one becomes, or kGone.
struct Renumbering {
  std::vector<std::int32_t> now;
  std::vector<std::int32_t> members;  // new global ranks
  bool whole() const { return members.size() == now.size(); }
  // The next kept member from an old group rank on, by its new group rank; kGone where nobody is left.
  std::int32_t heir_of(std::int32_t old) const {
    auto heir = static_cast<std::size_t>(old);
    for (std::size_t tried = 0; tried < now.size(); ++tried, heir = (heir + 1) % now.size())
      if (now[heir] != kGone) return now[heir];
    return kGone;
  }
};

// One communicator before and after.
struct GroupMap {
  bool kept = false;
  bool whole = true;  // nobody left, or the members are unknown: arguments stay as they are
  Renumbering group, remote;
  std::unordered_map<std::int32_t, std::int32_t> group_rank;  // of old global ranks, where somebody left
  std::unordered_set<std::int32_t> local;                     // an intercommunicator's first group, old global ranks

  // The group in which a member names its peers.
  const Renumbering& peers_of(std::int32_t rank) const { return local.count(rank) != 0 ? remote : group; }
};

// What ends an epoch goes with what would have opened it.
class OpenEpochs {
 public:
  // Does an event remain that would stay by itself?
  bool allow(const Event& event, bool stays) {
    if (kind_of(event.op) != OpKind::window) return stays;
    const std::pair access{event.extras->win, true}, exposure{event.extras->win, false};
    switch (event.op) {
      case Op::win_start: note(access, stays); break;
      case Op::win_post: note(exposure, stays); break;
      case Op::win_complete: return stays && lost_.erase(access) == 0;
      case Op::win_wait: return stays && lost_.erase(exposure) == 0;
      case Op::win_test: return stays && !lost_.contains(exposure);
      default: break;
    }
    return stays;
  }

 private:
  void note(const std::pair<std::string, bool>& epoch, bool stays) {
    if (stays)
      lost_.erase(epoch);
    else
      lost_.insert(epoch);
  }
  std::set<std::pair<std::string, bool>> lost_;  // window, and whether it is an access epoch
};

class Cutter {
 public:
  Cutter(const Scenario& base, const Selection& keep, const StandIn& stand_in)
      : base_(base), keep_(keep), stand_in_(stand_in), site_(base.symbols.size(), kNoSymbol) {}

  std::optional<Scenario> run() {
    map_ranks();
    if (old_rank_.empty()) return std::nullopt;
    for (std::size_t comm = 0; comm < base_.comms.size(); ++comm) groups_.push_back(map_group(comm));
    out_ = Scenario(static_cast<std::int32_t>(old_rank_.size()));
    for (std::size_t rank = 0; rank < old_rank_.size(); ++rank) cut_rank(rank);
    cut_header();
    cut_comms();
    return std::move(out_);
  }

 private:
  void map_ranks() {
    new_rank_.assign(base_.ranks.size(), kGone);
    for (std::size_t rank = 0; rank < base_.ranks.size(); ++rank) {
      if (keep_.ranks[rank] == 0) continue;
      new_rank_[rank] = static_cast<std::int32_t>(old_rank_.size());
      old_rank_.push_back(static_cast<std::int32_t>(rank));
    }
  }

  Renumbering renumbering(const std::vector<std::int32_t>& ranks) const {
    Renumbering result;
    for (const std::int32_t global : ranks) {
      const std::int32_t now = new_rank_[static_cast<std::size_t>(global)];
      result.now.push_back(now == kGone ? kGone : static_cast<std::int32_t>(result.members.size()));
      if (now != kGone) result.members.push_back(now);
    }
    return result;
  }

  GroupMap map_group(std::size_t index) const {
    const Communicator& comm = base_.comms[index];
    GroupMap map;
    map.group = renumbering(comm.ranks);
    map.remote = renumbering(comm.remote);
    if (comm.is_inter()) map.local.insert(comm.ranks.begin(), comm.ranks.end());
    const bool populated = !map.group.members.empty() && (!comm.is_inter() || !map.remote.members.empty());
    map.kept = index == 0 || (keep_.comms[index] != 0 && (!comm.known || populated));
    map.whole = !comm.known || (map.group.whole() && map.remote.whole());
    if (!map.whole && stand_in_ && !comm.is_inter()) {
      for (std::size_t i = 0; i < comm.ranks.size(); ++i) {
        map.group_rank.emplace(comm.ranks[i], static_cast<std::int32_t>(i));
      }
    }
    return map;
  }

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
    const std::int32_t matched = event.extras->matched;
    if (matched == kUnset) return true;
    const std::int32_t now = renumber(event, rank, matched);
    if (now != kGone) set_matched(event, now);
    return now != kGone;
  }

  bool fix_sendrecv(Event& event, std::int32_t rank) const {
    const EventExtras& x = event.extras.get();
    const std::int32_t to = x.sendpeer != kUnset ? x.sendpeer : event.peer;
    const std::int32_t from = x.recvpeer != kUnset ? x.recvpeer : event.peer;
    const std::int32_t to_now = renumber(event, rank, to);
    std::int32_t from_now = renumber(event, rank, from);
    const std::int32_t matched_now = renumber(event, rank, x.matched);
    if (matched_now == kGone) from_now = kGone;
    const bool lost = to_now == kGone || from_now == kGone;
    const auto silent = [](std::int32_t peer) { return peer == kGone || peer == kNull; };
    if (lost && silent(to_now) && silent(from_now)) return false;
    const bool separate = x.sendpeer != kUnset || x.recvpeer != kUnset;
    set_matched(event, from_now == kGone ? kUnset : matched_now);
    if (!lost && !separate) {
      event.peer = to_now;
      return true;
    }
    EventExtras& edit = event.extras.edit();
    event.peer = kUnset;
    edit.sendpeer = to_now == kGone ? kNull : to_now;
    edit.recvpeer = from_now == kGone ? kNull : from_now;
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
    const std::int32_t bridge = base_.find_comm(event.extras->remote.empty() ? "world" : event.extras->remote);
    if (bridge == kNoComm || event.peer < 0) return true;
    const Communicator& names = base_.comms[static_cast<std::size_t>(bridge)];
    const Renumbering& there = groups_[static_cast<std::size_t>(bridge)].group;
    if (names.is_inter() || !groups_[static_cast<std::size_t>(bridge)].kept) return false;
    if (static_cast<std::size_t>(event.peer) >= there.now.size() || there.whole()) return true;
    const std::int32_t leader = names.ranks[static_cast<std::size_t>(event.peer)];
    std::int32_t heir = new_rank_[static_cast<std::size_t>(leader)];
    if (heir == kGone && event.new_comm != kNoComm) {
      const Communicator& made = base_.comms[static_cast<std::size_t>(event.new_comm)];
      const GroupMap& map = groups_[static_cast<std::size_t>(event.new_comm)];
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

  template <class T>
  static void keep_members(std::vector<T>& per_member, const Renumbering& group) {
    if (group.whole() || per_member.size() != group.now.size()) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < group.now.size(); ++i) {
      if (group.now[i] != kGone) per_member[kept++] = per_member[i];
    }
    per_member.resize(kept);
  }

  // Neighbours are ranks of the communicator that is made. A grid with holes is a grid no more.
  void fix_neighbours(Event& event) const {
    if (event.new_comm == kNoComm || event.extras.empty()) return;
    const GroupMap& made = groups_[static_cast<std::size_t>(event.new_comm)];
    const EventExtras& now = event.extras.get();
    const bool is_topology =
        !(now.sources.empty() && now.destinations.empty() && now.dims.empty() && now.periods.empty());
    if (made.whole || !is_topology) return;
    EventExtras& x = event.extras.edit();
    for (auto* list : {&x.sources, &x.destinations}) *list = neighbours_now(*list, made.group);
    x.dims.clear();
    x.periods.clear();
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
    const auto maker =
        std::find_if(events.begin(), events.end(), [&](const Event& other) { return other.new_comm == event.comm; });
    if (maker == events.end()) return;
    const Renumbering& group = group_of(event).group;
    const auto keep = [&](std::vector<std::int64_t>& counts, const std::vector<std::int32_t>& neighbours) {
      if (counts.size() != neighbours.size()) return;
      std::vector<std::int64_t> kept;
      for (std::size_t i = 0; i < counts.size(); ++i)
        if (!neighbours_now({neighbours[i]}, group).empty()) kept.push_back(counts[i]);
      counts = std::move(kept);
    };
    EventExtras& x = event.extras.edit();
    keep(x.sendcounts, maker->extras->destinations);
    keep(x.recvcounts, maker->extras->sources);
  }

  static bool names_members(const EventExtras& x) {
    return x.target || !x.ranks.empty() || !x.counts.empty() || !x.sendcounts.empty() || !x.recvcounts.empty();
  }

  bool fix_extras(Event& event, std::int32_t rank) const {
    const GroupMap& group = group_of(event);
    if (group.whole || !names_members(event.extras.get())) return true;
    EventExtras& x = event.extras.edit();
    if (x.target && !renumbered(*x.target, renumber(event, rank, *x.target))) return false;
    std::vector<std::int32_t> named;
    for (const std::int32_t member : x.ranks) {
      const bool exists = member >= 0 && static_cast<std::size_t>(member) < group.group.now.size();
      const std::int32_t now = exists ? group.group.now[static_cast<std::size_t>(member)] : member;
      if (now != kGone) named.push_back(now);
    }
    const bool met_somebody = !x.ranks.empty();
    x.ranks = std::move(named);
    // A post or start that meets nobody any more goes, and what completes it.
    if (met_somebody && x.ranks.empty() && kind_of(event.op) == OpKind::window) return false;
    if ((info(event.op).traits & kNeighbor) != 0) {
      fix_neighbour_counts(event, rank);
    } else {
      for (auto* counts : {&x.counts, &x.sendcounts, &x.recvcounts}) keep_members(*counts, group.peers_of(rank));
    }
    return true;
  }

  // Arguments of an event that is to stay; false when it has to go after all.
  bool fix_arguments(Event& event, std::int32_t rank) const {
    if (!group_of(event).kept) return false;
    if (event.op == Op::intercomm_create && !fix_leaders(event, rank)) return false;
    fix_neighbours(event);
    if (event.new_comm != kNoComm && !groups_[static_cast<std::size_t>(event.new_comm)].kept) event.new_comm = kNoComm;
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

  void cut_rank(std::size_t rank) {
    const std::int32_t old = old_rank_[rank];
    const RankTrace& from = base_.ranks[static_cast<std::size_t>(old)];
    const auto& flags = keep_.events[static_cast<std::size_t>(old)];
    RankTrace& to = out_.ranks[rank];
    to.end = from.end;
    std::vector<std::uint32_t> source;  // index in `from` of each event in `to`
    OpenEpochs epochs;
    for (std::uint32_t i = 0; i < from.events.size(); ++i) {
      Event event = from.events[i];
      const bool stays = flags[i] != 0 && fix_arguments(event, old);
      if (!epochs.allow(from.events[i], stays)) continue;
      to.events.push_back(std::move(event));
      source.push_back(i);
    }
    if (to.events.size() != from.events.size()) {
      drop_lost_requests(from.events, to.events, source);
      lower_positions(from.events, to.events, source);
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      to.set_time(i, from.time_of(source[i]));
      if (!to.events[i].extras.same_as(from.events[source[i]].extras)) extras_.share(to.events[i].extras);
    }
  }

  static void lower_positions(const std::vector<Event>& from, std::vector<Event>& to,
                              const std::vector<std::uint32_t>& source) {
    std::map<Venue, std::int32_t> dropped;
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < to.size(); ++i, ++next) {
      for (; next < source[i]; ++next) {
        if (is_positional(from[next].op)) ++dropped[venue_of(from[next])];
      }
      if (to[i].coll_seq == kUnset) continue;
      const auto found = dropped.find(venue_of(from[source[i]]));
      if (found != dropped.end()) to[i].coll_seq = std::max(0, to[i].coll_seq - found->second);
    }
  }

  void cut_header() {
    const std::int32_t world = out_.header.world;
    out_.header = base_.header;
    out_.header.world = world;
    out_.cut = base_.cut;
    const auto select = [&](std::vector<std::string>& per_rank) {
      if (per_rank.size() != base_.ranks.size()) return;
      std::vector<std::string> kept;
      for (const std::int32_t old : old_rank_) kept.push_back(per_rank[static_cast<std::size_t>(old)]);
      per_rank = std::move(kept);
    };
    select(out_.header.hosts);
    select(out_.header.devices);
    if (!out_.header.origin) out_.header.origin.emplace();
    std::vector<std::int32_t>& map = out_.header.origin->ranks;
    std::vector<std::int32_t> composed;
    for (const std::int32_t old : old_rank_) {
      composed.push_back(map.empty() ? old : map.at(static_cast<std::size_t>(old)));
    }
    map = std::move(composed);
  }

  // Communicators that an event still uses, in their order; the events' indices and symbols follow.
  void cut_comms() {
    std::vector<std::uint8_t> used(base_.comms.size(), 0);
    used[0] = 1;
    for (const RankTrace& rank : out_.ranks) {
      for (const Event& event : rank.events) {
        used[static_cast<std::size_t>(event.comm)] = 1;
        if (event.new_comm != kNoComm) used[static_cast<std::size_t>(event.new_comm)] = 1;
        if (event.extras->remote.empty()) continue;
        const std::int32_t remote = base_.find_comm(event.extras->remote);
        if (remote != kNoComm) used[static_cast<std::size_t>(remote)] = 1;
      }
    }
    std::vector<std::int32_t> now(base_.comms.size(), kNoComm);
    now[0] = 0;
    for (std::size_t i = 1; i < base_.comms.size(); ++i) {
      if (used[i] == 0) continue;
      Communicator comm = base_.comms[i];
      comm.ranks = groups_[i].group.members;
      comm.remote = groups_[i].remote.members;
      const std::int32_t parent = base_.find_comm(comm.parent);
      if (parent != kNoComm && used[static_cast<std::size_t>(parent)] == 0) comm.parent.clear();
      now[i] = out_.add_comm(std::move(comm));
    }
    for (RankTrace& rank : out_.ranks) {
      for (Event& event : rank.events) {
        event.comm = now[static_cast<std::size_t>(event.comm)];
        if (event.new_comm != kNoComm) event.new_comm = now[static_cast<std::size_t>(event.new_comm)];
        event.site = symbol(event.site);
      }
    }
  }

  std::uint32_t symbol(std::uint32_t old) {
    if (old == kNoSymbol) return kNoSymbol;
    std::uint32_t& now = site_[old];
    if (now == kNoSymbol) now = out_.symbols.intern(base_.symbols.text(old));
    return now;
  }

  const Scenario& base_;
  const Selection& keep_;
  const StandIn& stand_in_;
  std::vector<std::uint32_t> site_;  // new symbol by old one
  std::vector<std::int32_t> new_rank_, old_rank_;
  std::vector<GroupMap> groups_;
  ExtrasPool extras_;
  Scenario out_;
};

}  // namespace

Selection Selection::all(const Scenario& base) {
  Selection selection;
  selection.ranks.assign(base.ranks.size(), 1);
  selection.comms.assign(base.comms.size(), 1);
  for (const RankTrace& rank : base.ranks) selection.events.emplace_back(rank.events.size(), 1);
  return selection;
}

Selection Selection::no_events(const Scenario& base) {
  Selection selection = all(base);
  for (auto& events : selection.events) std::fill(events.begin(), events.end(), 0);
  return selection;
}

std::optional<Scenario> cut(const Scenario& base, const Selection& keep, const StandIn& stand_in) {
  return Cutter(base, keep, stand_in).run();
}

}  // namespace petri::reduce

#include "reducers/repair.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "harness/trace/extras_pool.hpp"
#include "harness/trace/venue.hpp"
#include "reducers/open_epochs.hpp"
#include "reducers/positions.hpp"
#include "reducers/renumbering.hpp"
#include "reducers/repair_arguments.hpp"
#include "reducers/requests.hpp"

namespace petri::reduce {
namespace {

class Cutter {
 public:
  Cutter(const Scenario& base, const Selection& keep, const StandIn& stand_in)
      : base_(base), keep_(keep), stand_in_(stand_in), site_(base.symbols.size(), kNoSymbol) {}

  std::optional<Scenario> run() {
    map_ranks();
    if (old_rank_.empty()) return std::nullopt;
    for (std::size_t comm = 0; comm < base_.comms.size(); ++comm)
      groups_.push_back(
          map_group(base_.comms[comm], new_rank_, comm == 0 || keep_.comms[comm] != 0, stand_in_ != nullptr));
    out_ = Scenario(static_cast<std::int32_t>(old_rank_.size()));
    for (std::size_t rank = 0; rank < old_rank_.size(); ++rank) cut_rank(rank);
    cut_header();
    cut_comms();
    settle_joined(out_);
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

  void cut_rank(std::size_t rank) {
    const std::int32_t old = old_rank_[rank];
    const RankTrace& from = base_.ranks[static_cast<std::size_t>(old)];
    const auto& flags = keep_.events[static_cast<std::size_t>(old)];
    RankTrace& to = out_.ranks[rank];
    to.end = from.end;
    std::vector<std::uint32_t> source;  // index in `from` of each event in `to`
    const CutGroups cut{base_, new_rank_, groups_, stand_in_};
    OpenEpochs epochs;
    for (std::uint32_t i = 0; i < from.events.size(); ++i) {
      Event event = from.events[i];
      const bool stays = flags[i] != 0 && repair_arguments(event, old, cut);
      if (!epochs.allow(from.events[i], stays)) continue;
      to.events.push_back(std::move(event));
      source.push_back(i);
    }
    if (to.events.size() != from.events.size()) {
      drop_lost_requests(from.events, to.events, source, keep_.idle);
      keep_positions(from, source, to);
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
      to.set_time(i, from.time_of(source[i]));
      if (!to.events[i].extras.same_as(from.events[source[i]].extras)) extras_.share(to.events[i].extras);
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
        if (event.extras.new_comm() != kNoComm) used[static_cast<std::size_t>(event.extras.new_comm())] = 1;
        if (event.extras.remote().empty()) continue;
        const std::int32_t remote = base_.find_comm(event.extras.remote());
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
        if (event.extras.new_comm() != kNoComm)
          event.extras.set_new_comm(now[static_cast<std::size_t>(event.extras.new_comm())]);
        event.site = symbol(event.site);
      }
      std::erase_if(rank.end.joined, [&](const auto& entry) { return now[static_cast<std::size_t>(entry.first)] < 0; });
      for (auto& [comm, position] : rank.end.joined) comm = now[static_cast<std::size_t>(comm)];
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

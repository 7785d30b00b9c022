#include "harness/model/release.hpp"

#include <algorithm>

namespace petri::model {
namespace {

class Release {
 public:
  explicit Release(const Run& run)
      : run_(run),
        lane_free_(run.lanes.size()),
        free_(run.standing.size()),
        gathering_(run.gatherings.all().size(), Known::no) {
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
      const Standing standing = run.lanes[lane].standing;
      if (standing == Standing::running || standing == Standing::unknown) set_free(lane);
    }
  }

  // By lane: is it blocked for good?
  std::vector<bool> stuck() {
    for (bool moved = true; moved;) {
      moved = false;
      std::fill(gathering_.begin(), gathering_.end(), Known::no);
      for (const Wait& wait : run_.waits) {
        if (lane_free_[wait.lane] || !releasable(wait)) continue;
        set_free(wait.lane);
        moved = true;
      }
    }
    std::vector<bool> lanes(run_.lanes.size(), false);
    for (const Wait& wait : run_.waits) lanes[wait.lane] = !lane_free_[wait.lane];
    return lanes;
  }

 private:
  enum class Known : std::uint8_t { no, satisfiable, unsatisfiable };

  void set_free(std::uint32_t lane) {
    lane_free_[lane] = true;
    free_[static_cast<std::size_t>(run_.lanes[lane].rank)] = true;
  }

  // Some lane of the rank goes on, and might do what others wait for.
  bool is_free(std::int32_t rank) const { return free_[static_cast<std::size_t>(rank)]; }

  bool lost_events(std::int32_t rank) const { return run_.truncated[static_cast<std::size_t>(rank)]; }
  bool any_lost_events(std::int32_t comm) const {
    const auto& members = run_.gatherings.ranks_of(comm);
    return std::any_of(members.begin(), members.end(), [&](std::int32_t member) { return lost_events(member); });
  }

  bool releasable(const Wait& wait) {
    const auto can = [&](const Atom& atom) { return satisfiable(atom, wait.rank); };
    if (wait.any) return std::any_of(wait.atoms.begin(), wait.atoms.end(), can);
    return std::all_of(wait.atoms.begin(), wait.atoms.end(), can);
  }

  // Messages and epochs have no numbers: where events were lost on either side, which ones are still to be matched is
  // unknown.
  bool unsure(const Atom& atom, std::int32_t rank) const {
    switch (atom.kind) {
      case Atom::gathering:
      case Atom::finalize:
      case Atom::stream: return false;
      default: return lost_events(rank) || (atom.peer == kAny ? any_lost_events(atom.comm) : lost_events(atom.peer));
    }
  }

  bool satisfiable(const Atom& atom, std::int32_t rank) {
    if (unsure(atom, rank)) return true;
    switch (atom.kind) {
      case Atom::gathering: return gathering_satisfiable(atom.number);
      case Atom::finalize: return finalize_satisfiable();
      case Atom::stream: return lane_free_[atom.number];
      case Atom::receiver:
      case Atom::leader:
      case Atom::partition:
      case Atom::epoch:
      case Atom::lock:
      case Atom::message: break;
    }
    if (atom.peer != kAny) return is_free(atom.peer);
    const auto& members = run_.gatherings.ranks_of(atom.comm);
    return std::any_of(members.begin(), members.end(), [&](std::int32_t member) {
      return is_free(member) && (member != rank || run_.lanes.size() > run_.standing.size());
    });
  }

  // All members of a gathering wait for the same ones: one look a round is enough. A round may see an old answer, which
  // the next round mends.
  bool gathering_satisfiable(std::uint32_t number) {
    Known& known = gathering_[number];
    if (known == Known::no) {
      const Gathering& gathering = run_.gatherings[number];
      const auto& members = run_.gatherings.members(gathering);
      bool all = !gathering.conflicted;
      for (std::size_t member = 0; all && member < members.size(); ++member)
        if (gathering.arrivals[member] == kAbsent) all = can_arrive(gathering, member, members[member]);
      known = all ? Known::satisfiable : Known::unsatisfiable;
    }
    return known == Known::satisfiable;
  }

  bool can_arrive(const Gathering& gathering, std::size_t member, std::int32_t rank) const {
    const auto queued = run_.gatherings.lane_of_queued(gathering, static_cast<std::uint32_t>(member));
    return queued ? bool(lane_free_[*queued]) : is_free(rank);
  }

  bool finalize_satisfiable() const {
    for (std::size_t rank = 0; rank < free_.size(); ++rank) {
      const bool blocked = run_.lanes[rank].standing == Standing::blocked;
      const bool waits_there = blocked && in_finalize(static_cast<std::int32_t>(rank));
      if (!waits_there && run_.lanes[rank].standing != Standing::finished && !free_[rank]) return false;
    }
    return true;
  }

  bool in_finalize(std::int32_t rank) const {
    const auto wait = std::lower_bound(run_.waits.begin(), run_.waits.end(), rank,
                                       [](const Wait& one, std::int32_t value) { return one.rank < value; });
    return wait != run_.waits.end() && wait->rank == rank && wait->atoms.size() == 1 &&
           wait->atoms.front().kind == Atom::finalize;
  }

  const Run& run_;
  std::vector<bool> lane_free_;
  std::vector<bool> free_;  // by rank
  std::vector<Known> gathering_;
};

}  // namespace

void find_stuck(Run& run) {
  run.stuck_lanes = Release(run).stuck();
  for (const Wait& wait : run.waits)
    if (run.stuck_lanes[wait.lane] && (run.stuck.empty() || run.stuck.back() != wait.rank))
      run.stuck.push_back(wait.rank);
}

}  // namespace petri::model

#include "harness/model/release.hpp"

#include <algorithm>

namespace petri::model {
namespace {

class Release {
 public:
  explicit Release(const Run& run)
      : run_(run), free_(run.standing.size()), gathering_(run.gatherings.all().size(), Known::no) {
    for (std::size_t rank = 0; rank < free_.size(); ++rank)
      free_[rank] = run.standing[rank] == Standing::running || run.standing[rank] == Standing::unknown;
  }

  std::vector<std::int32_t> stuck() {
    for (bool moved = true; moved;) {
      moved = false;
      std::fill(gathering_.begin(), gathering_.end(), Known::no);
      for (const Wait& wait : run_.waits) {
        if (free_[static_cast<std::size_t>(wait.rank)] || !releasable(wait)) continue;
        free_[static_cast<std::size_t>(wait.rank)] = true;
        moved = true;
      }
    }
    std::vector<std::int32_t> ranks;
    for (const Wait& wait : run_.waits)
      if (!free_[static_cast<std::size_t>(wait.rank)]) ranks.push_back(wait.rank);
    return ranks;
  }

 private:
  enum class Known : std::uint8_t { no, satisfiable, unsatisfiable };

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

  bool satisfiable(const Atom& atom, std::int32_t rank) {
    const bool message = atom.kind == Atom::receiver || atom.kind == Atom::message;
    // Messages have no numbers: where events were lost on either side, which ones are still to be matched is unknown.
    if (message && (lost_events(rank) || (atom.peer == kAny ? any_lost_events(atom.comm) : lost_events(atom.peer))))
      return true;
    switch (atom.kind) {
      case Atom::gathering: return gathering_satisfiable(atom.number);
      case Atom::receiver: return is_free(atom.peer);
      case Atom::finalize: return finalize_satisfiable();
      case Atom::message: break;
    }
    if (atom.peer != kAny) return is_free(atom.peer);
    const auto& members = run_.gatherings.ranks_of(atom.comm);
    return std::any_of(members.begin(), members.end(),
                       [&](std::int32_t member) { return member != rank && is_free(member); });
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
        if (gathering.arrivals[member] == kAbsent) all = is_free(members[member]);
      known = all ? Known::satisfiable : Known::unsatisfiable;
    }
    return known == Known::satisfiable;
  }

  bool finalize_satisfiable() const {
    for (std::size_t rank = 0; rank < free_.size(); ++rank) {
      const bool blocked = run_.standing[rank] == Standing::blocked;
      const bool waits_there = blocked && in_finalize(static_cast<std::int32_t>(rank));
      if (!waits_there && run_.standing[rank] != Standing::finished && !free_[rank]) return false;
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
  std::vector<bool> free_;
  std::vector<Known> gathering_;
};

}  // namespace

std::vector<std::int32_t> stuck_ranks(const Run& run) {
  return Release(run).stuck();
}

}  // namespace petri::model

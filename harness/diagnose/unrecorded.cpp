#include "harness/diagnose/unrecorded.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/diagnose/awaited.hpp"

namespace petri::diagnosis {
namespace {

using model::Gathering;
using Ranks = std::vector<std::int32_t>;

constexpr std::uint32_t kAllCalls = std::numeric_limits<std::uint32_t>::max();

const Communicator& comm_at(const Scenario& scenario, std::int32_t comm) {
  return scenario.comms[static_cast<std::size_t>(comm)];
}

bool is_labelled(const Communicator& comm) {
  return !comm.label.empty() && comm.known && !comm.is_inter();
}

// By communicator: is there another one of its kind?
std::vector<bool> with_kin(const Scenario& scenario) {
  std::map<std::pair<std::string, std::size_t>, std::size_t> kinds;
  for (const Communicator& comm : scenario.comms)
    if (is_labelled(comm)) ++kinds[{comm.label, comm.ranks.size()}];
  std::vector<bool> with(scenario.comms.size(), false);
  for (std::size_t number = 1; number < with.size(); ++number) {
    const Communicator& comm = scenario.comms[number];
    with[number] = is_labelled(comm) && kinds[{comm.label, comm.ranks.size()}] > 1;
  }
  return with;
}

bool is_member(const Communicator& comm, std::int32_t rank) {
  return std::find(comm.ranks.begin(), comm.ranks.end(), rank) != comm.ranks.end();
}

// The position of a rank's next collective on a communicator before one of its calls; nothing where the start of its
// record is lost, and with it the count.
std::optional<std::int64_t> place_before(const Scenario& scenario, std::int32_t rank, std::int32_t comm,
                                         std::uint32_t call) {
  const RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
  std::optional<std::int64_t> place;
  if (trace.end.dropped == 0) place = 0;
  for (const auto& [joined, position] : trace.end.joined)
    if (joined == comm) place = position;
  const auto end = static_cast<std::ptrdiff_t>(std::min<std::size_t>(call, trace.events.size()));
  for (auto event = trace.events.begin(); event != trace.events.begin() + end; ++event) {
    if (event->comm != comm || !is_positional(event->op)) continue;
    if (event->extras.coll_seq() != kUnset) place = event->extras.coll_seq();
    if (place) ++*place;
  }
  return place;
}

class HoldingUp {
 public:
  HoldingUp(const Scenario& scenario, const model::Run& run, const Kin& kin) : scenario_(scenario), kin_(kin) {
    for (const model::Wait& wait : run.waits) {
      awaited_.emplace_back(wait.rank, awaited_by(run, wait));
      for (const model::Atom& atom : wait.atoms)
        if ((atom.kind == model::Atom::message || atom.kind == model::Atom::receiver) && atom.peer != kAny &&
            is_labelled(comm_at(scenario, atom.comm)))
          messages_.push_back({{wait.rank, wait.index}, atom.comm, atom.peer});
    }
  }

  std::vector<HeldUp> find(Ranks unknown, const Ranks& stopped) {
    late_.insert(stopped.begin(), stopped.end());
    std::vector<HeldUp> found;
    for (bool more = true; more;) {
      more = false;
      spread();
      std::erase_if(unknown, [&](std::int32_t rank) {
        const auto one = by_somebody_late(rank);
        if (!one) return false;
        found.push_back(*one);
        late_.insert(rank);
        return more = true;
      });
    }
    std::sort(found.begin(), found.end(), [](const HeldUp& a, const HeldUp& b) { return a.rank < b.rank; });
    return found;
  }

 private:
  // Who waits for somebody that is late is late, too.
  void spread() {
    for (std::size_t before = 0; before != late_.size();) {
      before = late_.size();
      for (const auto& [rank, awaited] : awaited_)
        if (std::any_of(awaited.begin(), awaited.end(), [&](std::int32_t other) { return late_.contains(other); }))
          late_.insert(rank);
    }
  }

  std::optional<HeldUp> by_somebody_late(std::int32_t rank) const {
    for (std::size_t number = 1; number < scenario_.comms.size(); ++number) {
      const Communicator& comm = scenario_.comms[number];
      if (!with_kin_[number] || !is_member(comm, rank)) continue;
      if (const auto found = in_a_collective(rank, static_cast<std::int32_t>(number))) return found;
      if (const auto found = in_a_message(rank, comm)) return found;
    }
    return std::nullopt;
  }

  std::optional<HeldUp> in_a_collective(std::int32_t rank, std::int32_t comm) const {
    Gathering place;
    place.comm = place.venue = comm;
    const std::int64_t joined = place_before(scenario_, rank, comm, 0).value_or(0);
    for (const std::int32_t other : comm_at(scenario_, comm).ranks) {
      if (other == rank || !late_.contains(other)) continue;
      const auto next = place_before(scenario_, other, comm, kAllCalls);
      if (!next || *next < joined) continue;
      place.position = *next;
      const std::vector<EventRef> calls = kin_.calls_at(place);
      if (!calls.empty()) return HeldUp{rank, other, calls.front()};
    }
    return std::nullopt;
  }

  // In another group of the kind the rank in this one's place waits for one that is late.
  std::optional<HeldUp> in_a_message(std::int32_t rank, const Communicator& comm) const {
    for (const MessageWait& wait : messages_) {
      const Communicator& kin = comm_at(scenario_, wait.comm);
      if (&kin == &comm || kin.label != comm.label || kin.ranks.size() != comm.ranks.size()) continue;
      const auto place =
          static_cast<std::size_t>(std::find(kin.ranks.begin(), kin.ranks.end(), wait.peer) - kin.ranks.begin());
      const auto own =
          static_cast<std::size_t>(std::find(comm.ranks.begin(), comm.ranks.end(), rank) - comm.ranks.begin());
      if (place == kin.ranks.size() || kin.ranks[own] != wait.call.rank) continue;
      if (late_.contains(wait.peer) && late_.contains(comm.ranks[place]))
        return HeldUp{rank, comm.ranks[place], wait.call};
    }
    return std::nullopt;
  }

  // A wait for a message from or to a rank.
  struct MessageWait {
    EventRef call;
    std::int32_t comm = 0, peer = 0;
  };
  const Scenario& scenario_;
  const Kin& kin_;
  const std::vector<bool> with_kin_ = with_kin(scenario_);
  std::vector<std::pair<std::int32_t, std::set<std::int32_t>>> awaited_;  // by wait: its rank, and whom it waits for
  std::vector<MessageWait> messages_;                                     // on communicators with labels
  std::set<std::int32_t> late_;
};

class LeavingOut {
 public:
  LeavingOut(const Scenario& scenario, const model::Run& run, const Ranks& unknown)
      : scenario_(scenario), run_(run), unknown_(unknown) {}

  std::optional<LeftOut> find() const {
    std::set<std::uint32_t> looked;
    for (const model::Wait& wait : run_.waits)
      for (const model::Atom& atom : wait.atoms) {
        if (atom.kind != model::Atom::gathering || !looked.insert(atom.number).second) continue;
        const Gathering& gathering = run_.gatherings[atom.number];
        if (gathering.venue != gathering.comm || comm_at(scenario_, gathering.comm).is_inter()) continue;
        if (auto found = at_collective(gathering)) return found;
      }
    return std::nullopt;
  }

 private:
  std::optional<LeftOut> at_collective(const Gathering& gathering) const {
    const auto& all = run_.gatherings.all();
    const auto before = std::find_if(all.begin(), all.end(), [&](const Gathering& one) {
      return one.venue == gathering.venue && one.position == gathering.position - 1;
    });
    const Gathering* const earlier = before == all.end() ? nullptr : &*before;
    for (const std::int32_t unknown : unknown_)
      for (std::size_t number = 1; number < scenario_.comms.size(); ++number) {
        const Communicator& comm = scenario_.comms[number];
        if (!with_kin_[number] || !is_member(comm, unknown)) continue;
        for (const std::int32_t rank : comm.ranks)
          if (auto found = by(rank, static_cast<std::int32_t>(number), gathering, earlier)) {
            found->unknown = unknown;
            return found;
          }
      }
    return std::nullopt;
  }

  // Did `rank` alone leave out a call on its group between two collectives in which it met members of the others? Where
  // nobody knows of the earlier one, several other groups must have made one call more, and none another number.
  std::optional<LeftOut> by(std::int32_t rank, std::int32_t comm, const Gathering& gathering,
                            const Gathering* before) const {
    const auto here = arrival(gathering, rank);
    const auto own = place_at(rank, comm, gathering);
    if (!here || !own) return std::nullopt;
    const auto own_before = before == nullptr ? std::nullopt : place_at(rank, comm, *before);
    bool met_before = own_before.has_value();
    LeftOut found{rank, 0, {rank, *here}, comm, *own, {}};
    std::set<std::int32_t> groups;
    std::set<std::int64_t> places;
    for (const std::int32_t other : run_.gatherings.members(gathering)) {
      const std::int32_t group = other == rank ? kNoComm : group_of_kind(other, comm);
      if (group == kNoComm || !arrival(gathering, other)) continue;
      const auto place = place_at(other, group, gathering);
      if (!place || *place <= *own) return std::nullopt;
      const auto earlier = met_before ? place_at(other, group, *before) : std::nullopt;
      if (earlier && *earlier != *own_before) return std::nullopt;
      met_before = met_before && earlier;
      groups.insert(group);
      places.insert(*place);
      found.others.push_back(other);
    }
    if (found.others.size() < 2) return std::nullopt;
    if (!met_before && (groups.size() < 2 || places != std::set{*own + 1})) return std::nullopt;
    std::sort(found.others.begin(), found.others.end());
    found.met_before = met_before;
    return found;
  }

  // The position of a rank's next call on a group before its call at a collective.
  std::optional<std::int64_t> place_at(std::int32_t rank, std::int32_t comm, const Gathering& gathering) const {
    const auto call = arrival(gathering, rank);
    return call ? place_before(scenario_, rank, comm, *call) : std::nullopt;
  }

  std::optional<std::uint32_t> arrival(const Gathering& gathering, std::int32_t rank) const {
    const std::int32_t member = run_.gatherings.member_index(gathering, rank);
    if (member < 0) return std::nullopt;
    const std::uint32_t call = gathering.arrivals[static_cast<std::size_t>(member)];
    return call >= model::kBefore ? std::nullopt : std::optional(call);
  }

  // The group of a rank that is of the same kind as another; kNoComm for that one itself.
  std::int32_t group_of_kind(std::int32_t rank, std::int32_t comm) const {
    const Communicator& kind = comm_at(scenario_, comm);
    if (is_member(kind, rank)) return kNoComm;
    for (std::size_t number = 1; number < scenario_.comms.size(); ++number) {
      const Communicator& one = scenario_.comms[number];
      if (is_labelled(one) && one.label == kind.label && one.ranks.size() == kind.ranks.size() && is_member(one, rank))
        return static_cast<std::int32_t>(number);
    }
    return kNoComm;
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const Ranks& unknown_;
  const std::vector<bool> with_kin_ = with_kin(scenario_);
};

}  // namespace

std::vector<HeldUp> held_up(const Scenario& scenario, const model::Run& run, const Kin& kin, const Ranks& unknown,
                            const Ranks& stopped) {
  return HoldingUp(scenario, run, kin).find(unknown, stopped);
}

std::optional<LeftOut> left_out_before_a_collective(const Scenario& scenario, const model::Run& run,
                                                    const Ranks& unknown) {
  return LeavingOut(scenario, run, unknown).find();
}

}  // namespace petri::diagnosis

#include "harness/diagnose/blame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "harness/diagnose/align.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/kin.hpp"

namespace petri::diagnosis {
namespace {

// A rank's events that take a position there.
std::vector<std::uint32_t> positional_events(const Scenario& scenario, const Venue& venue, std::int32_t rank) {
  std::vector<std::uint32_t> events;
  const auto& all = scenario.ranks[static_cast<std::size_t>(rank)].events;
  for (std::uint32_t index = 0; index < all.size(); ++index)
    if (all[index].comm == venue.comm && is_positional(all[index].op) && venue_of(all[index]) == venue)
      events.push_back(index);
  return events;
}

// Where a rank that never came stands instead.
std::string absence_text(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  const auto slot = static_cast<std::size_t>(rank);
  const auto& trace = scenario.ranks[slot];
  switch (run.standing[slot]) {
    case model::Standing::running:
    case model::Standing::unknown: break;
    case model::Standing::dead:
      return trace.end.kind == EndKind::signal    ? "killed"
             : trace.end.kind == EndKind::aborted ? "aborted"
                                                  : "gone without finalize";
    case model::Standing::finished: return "in finalize";
    case model::Standing::blocked: break;
  }
  if (run.index[slot] >= trace.events.size()) return "in finalize";
  return "in " + event_text(scenario, EventRef{rank, static_cast<std::uint32_t>(run.index[slot])});
}

// A rank whose record is missing, is cut or runs on may have come, or still come: it speaks for neither side.
bool is_silent(const model::Run& run, std::int32_t rank) {
  const model::Standing standing = run.standing[static_cast<std::size_t>(rank)];
  return standing == model::Standing::unknown || standing == model::Standing::running;
}

// Members that came with another operation than most of those that came.
std::set<std::int32_t> came_otherwise(const Scenario& scenario, const model::Run& run,
                                      const model::Gathering& gathering) {
  std::map<std::string_view, std::vector<std::int32_t>> by_call;
  const auto& members = run.gatherings.members(gathering);
  std::size_t came = 0;
  for (std::size_t member = 0; member < members.size(); ++member)
    if (const std::uint32_t arrival = gathering.arrivals[member]; arrival < model::kBefore) {
      by_call[name_of(at(scenario, {members[member], arrival}).op)].push_back(members[member]);
      ++came;
    }
  std::set<std::int32_t> others;
  for (const auto& [call, ranks] : by_call)
    if (2 * ranks.size() < came) others.insert(ranks.begin(), ranks.end());
  return others;
}

// Members that do not come because they wait for one that came with another operation, or for one that is held up so.
std::set<std::int32_t> held_up(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  const std::set<std::int32_t> otherwise = came_otherwise(scenario, run, gathering);
  std::set<std::int32_t> held;
  if (otherwise.empty()) return held;
  const auto holds_up = [&](const model::Atom& atom) {
    return (atom.kind == model::Atom::message || atom.kind == model::Atom::receiver) &&
           (otherwise.count(atom.peer) != 0 || held.count(atom.peer) != 0);
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (const model::Wait& wait : run.waits) {
      const std::int32_t member = run.gatherings.member_index(gathering, wait.rank);
      if (member < 0 || gathering.arrivals[static_cast<std::size_t>(member)] != model::kAbsent) continue;
      if (!wait.any && std::any_of(wait.atoms.begin(), wait.atoms.end(), holds_up))
        grows = held.insert(wait.rank).second || grows;
    }
  }
  return held;
}

std::vector<Side> sides_of(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering,
                           std::vector<std::int32_t>& silent) {
  const std::set<std::int32_t> held = held_up(scenario, run, gathering);
  std::map<std::string, Side> by_call;
  const auto& members = run.gatherings.members(gathering);
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint32_t arrival = gathering.arrivals[member];
    if (arrival == model::kBefore) continue;
    const bool came = arrival != model::kAbsent;
    if (!came && is_silent(run, members[member])) {
      silent.push_back(members[member]);
      continue;
    }
    if (held.count(members[member]) != 0) continue;
    std::string key = "absent";
    if (came) {
      const OpInfo& op = info(at(scenario, {members[member], arrival}).op);
      key = fmt::format("{} {}", op.family, static_cast<int>(op.form));
    }
    Side& side = by_call[key];
    if (side.ranks.empty()) {
      if (came) side.event = EventRef{members[member], arrival};
      side.text = came ? event_text(scenario, *side.event) : absence_text(scenario, run, members[member]);
    }
    side.ranks.push_back(members[member]);
  }
  std::vector<Side> sides;
  for (auto& [key, side] : by_call) sides.push_back(std::move(side));
  return sides;
}

// Order sides by size; of equal ones those that came before those that did not.
void sort_sides(std::vector<Side>& sides) {
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    if (a.ranks.size() != b.ranks.size()) return a.ranks.size() > b.ranks.size();
    return a.event.has_value() && !b.event.has_value();
  });
}

std::vector<const Event*> events_of(const Scenario& scenario, std::int32_t rank,
                                    const std::vector<std::uint32_t>& indexes) {
  std::vector<const Event*> events;
  for (const std::uint32_t index : indexes) events.push_back(&at(scenario, {rank, index}));
  return events;
}

bool same_calls(const std::vector<const Event*>& ones, const std::vector<const Event*>& others) {
  return std::is_permutation(ones.begin(), ones.end(), others.begin(), others.end(),
                             [](const Event* one, const Event* other) { return same_call(*one, *other); });
}

// A call that a rank makes nowhere: none of its calls has this operation, these arguments and this call site.
bool is_new_to(const Scenario& scenario, EventRef call, std::int32_t rank, const std::vector<std::uint32_t>& calls) {
  const Event& event = at(scenario, call);
  return std::none_of(calls.begin(), calls.end(), [&](std::uint32_t index) {
    const Event& other = at(scenario, {rank, index});
    return same_call(event, other) && event.site == other.site;
  });
}

// In a loop, one call of many that look alike is extra or missing, and nothing says which: then it is told as the last
// one, as somebody would who counts them.
EventRef last_alike(const Scenario& scenario, EventRef call, const std::vector<std::uint32_t>& calls) {
  const Event& event = at(scenario, call);
  if (event.site == kNoSymbol) return call;
  for (auto next = std::find(calls.begin(), calls.end(), call.index); next != calls.end(); ++next) {
    const Event& other = at(scenario, {call.rank, *next});
    if (!same_call(event, other) || event.site != other.site) break;
    call.index = *next;
  }
  return call;
}

// Reads the edit between a deviating rank and one of the other side.
void read_edits(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering, Blame& blame) {
  const std::int32_t odd = blame.sides[1].ranks.front();
  const std::int32_t even = blame.sides[0].ranks.front();
  const Venue venue = run.gatherings.venue_of(gathering);
  const auto odd_events = positional_events(scenario, venue, odd);
  const auto even_events = positional_events(scenario, venue, even);
  const auto standing = blame.sides[0].event ? blame.sides[0].event : blame.sides[1].event;
  const auto& counted = blame.sides[0].event ? even_events : odd_events;
  const auto from = standing ? std::find(counted.begin(), counted.end(), standing->index) - counted.begin() : 0;
  const Edits edits = align(scenario, odd, odd_events, even, even_events, static_cast<std::size_t>(from));

  const auto ended = [&](std::int32_t rank) {
    const auto slot = static_cast<std::size_t>(rank);
    return run.index[slot] >= scenario.ranks[slot].events.size() || run.standing[slot] == model::Standing::finished ||
           scenario.ranks[slot].events[run.index[slot]].op == Op::finalize;
  };
  const bool odd_has = !edits.only_first.empty(), even_has = !edits.only_second.empty();
  if (odd_has && even_has &&
      same_calls(events_of(scenario, odd, edits.only_first), events_of(scenario, even, edits.only_second))) {
    blame.reading = Reading::swapped;
  } else if (odd_has && !even_has && (edits.goes_on || ended(even))) {
    blame.reading = Reading::extra;
  } else if (even_has && !odd_has && (edits.goes_on || ended(odd))) {
    blame.reading = Reading::skipped;
  } else if (odd_has && even_has && is_new_to(scenario, {odd, edits.only_first.front()}, even, even_events) &&
             !is_new_to(scenario, {even, edits.only_second.front()}, odd, odd_events)) {
    // The record ends before the sequences could agree again, but one side's call is an everyday one for both.
    blame.reading = Reading::extra;
  }
  if (odd_has) blame.events.push_back(last_alike(scenario, {odd, edits.only_first.front()}, odd_events));
  if (even_has) blame.events.push_back(last_alike(scenario, {even, edits.only_second.front()}, even_events));
  // Of extra calls the deviating side's event stands first; of skipped ones only the other side has one.
  if (blame.reading == Reading::extra || blame.reading == Reading::skipped) blame.call = blame.events.front();
}

// Do the two groups of an intercommunicator do different things, each as one? Then it is one against one, however many
// they are.
bool is_group_against_group(const Scenario& scenario, const model::Gathering& gathering,
                            const std::vector<Side>& sides) {
  const Communicator& comm = scenario.comms[static_cast<std::size_t>(gathering.comm)];
  if (!comm.is_inter() || sides.size() != 2) return false;
  return std::any_of(sides.begin(), sides.end(), [&](const Side& side) {
    return std::is_permutation(side.ranks.begin(), side.ranks.end(), comm.ranks.begin(), comm.ranks.end());
  });
}

// What the ranks of each side did at the gathering, or instead of coming there.
std::vector<EventRef> deeds_of(const Side& side, const model::Run& run, const model::Gathering& gathering,
                               const std::optional<EventRef>& usual, const Precedents& precedents) {
  std::vector<EventRef> deeds;
  for (const std::int32_t rank : side.ranks) {
    const std::int32_t member = run.gatherings.member_index(gathering, rank);
    const std::uint32_t arrival = gathering.arrivals[static_cast<std::size_t>(member)];
    const auto here = static_cast<std::uint32_t>(run.index[static_cast<std::size_t>(rank)]);
    if (arrival < model::kBefore)
      deeds.push_back({rank, arrival});
    else if (const auto instead = usual ? precedents.instead_of(*usual, rank, here) : std::nullopt)
      deeds.push_back(*instead);
  }
  return deeds;
}

// Makes the second side the usual one.
void turn(Blame& blame) {
  std::swap(blame.sides[0], blame.sides[1]);
  if (blame.reading == Reading::skipped)
    blame.reading = Reading::extra;
  else if (blame.reading == Reading::extra)
    blame.reading = Reading::skipped;
}

// Of two sides of one size, makes the one the first whose call is the usual one in the rest of the record.
void settle_by_precedent(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering,
                         const Precedents& precedents, Blame& blame) {
  if (blame.sides.size() != 2 || blame.sides[0].ranks.size() != blame.sides[1].ranks.size()) return;
  const auto even = deeds_of(blame.sides[0], run, gathering, blame.sides[1].event, precedents);
  const auto odd = deeds_of(blame.sides[1], run, gathering, blame.sides[0].event, precedents);
  const bool first_is_odd = precedents.is_odd(even, odd);
  if (!first_is_odd && !precedents.is_odd(odd, even)) return;
  const std::vector<EventRef>& others = first_is_odd ? odd : even;
  if (first_is_odd) turn(blame);
  const EventRef usual = others.front();
  const std::string place =
      usual.index == 0 ? "begins a rank" : "follows " + event_text(scenario, {usual.rank, usual.index - 1});
  blame.precedent = fmt::format("{} named because {} {} everywhere else in the record",
                                ranks_text(blame.sides[1].ranks), event_text(scenario, usual), place);
}

// What a side did, as its kin would have: nothing for ranks that did not come.
bool is_what_kin_did(const Scenario& scenario, const Side& side, const std::vector<EventRef>& kin) {
  return side.event && std::all_of(kin.begin(), kin.end(), [&](EventRef call) {
           return same_call(at(scenario, call), at(scenario, *side.event));
         });
}

// The same by what the other groups of the kind did at this place.
void settle_by_kin(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering,
                   const Precedents& precedents, Blame& blame) {
  if (!blame.precedent.empty() || gathering.venue != gathering.comm || blame.sides.size() != 2 ||
      blame.sides[0].ranks.size() != blame.sides[1].ranks.size())
    return;
  const Kin& kin = precedents.kin(run);
  const std::vector<EventRef> calls = kin.calls_at(gathering);
  if (calls.empty()) return;
  const bool first_is_usual = is_what_kin_did(scenario, blame.sides[0], calls);
  if (first_is_usual == is_what_kin_did(scenario, blame.sides[1], calls)) return;
  if (!first_is_usual) turn(blame);
  blame.precedent = fmt::format("{} named because {} made {} at this place", ranks_text(blame.sides[1].ranks),
                                kin.text(gathering), event_text(scenario, calls.front()));
}

void name_culprits(Blame& blame, bool groups_differ) {
  const std::size_t most = blame.sides.front().ranks.size();
  blame.tie =
      blame.precedent.empty() && (groups_differ || (blame.sides.size() > 1 && blame.sides[1].ranks.size() == most));
  for (std::size_t i = 1; i < blame.sides.size(); ++i)
    blame.culprits.insert(blame.culprits.end(), blame.sides[i].ranks.begin(), blame.sides[i].ranks.end());
  blame.by_majority = !blame.tie && blame.precedent.empty() && blame.reading == Reading::unclear;
  if (blame.tie) {
    blame.culprits.insert(blame.culprits.end(), blame.sides[0].ranks.begin(), blame.sides[0].ranks.end());
    if (blame.reading == Reading::skipped) {
      // As many ranks make the call as do not: the smaller story is that somebody made one call too many.
      std::swap(blame.sides[0], blame.sides[1]);
      blame.reading = Reading::extra;
    }
    blame.other_reading = blame.reading == Reading::extra
                              ? fmt::format("it is as possible that {} left the call out: as many made it as did not",
                                            ranks_text(blame.sides[0].ranks))
                              : "neither side is in the majority";
  }
  std::sort(blame.culprits.begin(), blame.culprits.end());
}

}  // namespace

Blame blame(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering,
            const Precedents& precedents) {
  Blame result;
  result.sides = sides_of(scenario, run, gathering, result.silent);
  sort_sides(result.sides);
  if (result.sides.size() < 2) return result;
  read_edits(scenario, run, gathering, result);
  settle_by_precedent(scenario, run, gathering, precedents, result);
  settle_by_kin(scenario, run, gathering, precedents, result);
  name_culprits(result, is_group_against_group(scenario, gathering, result.sides));
  for (const Side& side : result.sides)
    if (side.event && std::find(result.events.begin(), result.events.end(), *side.event) == result.events.end())
      result.events.push_back(*side.event);
  const std::vector<std::int32_t>& first = result.tie ? result.sides[1].ranks : result.culprits;
  std::stable_partition(result.events.begin(), result.events.end(),
                        [&](EventRef ref) { return std::binary_search(first.begin(), first.end(), ref.rank); });
  return result;
}

Blame blame(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering, const Clash& clash,
            const Precedents& precedents) {
  Blame result;
  for (const Clash::Side& one : clash.sides) {
    Side side;
    side.event = one.events.front();
    side.text = event_text(scenario, one.events.front());
    const bool told = clash.argument == "count" || clash.argument == "dtype" || clash.argument == "root" ||
                      clash.argument == "reduce" || clash.argument == "site";
    if (!told) side.text += ", " + one.value;
    for (const EventRef ref : one.events) side.ranks.push_back(ref.rank);
    std::sort(side.ranks.begin(), side.ranks.end());
    side.ranks.erase(std::unique(side.ranks.begin(), side.ranks.end()), side.ranks.end());
    result.sides.push_back(std::move(side));
  }
  sort_sides(result.sides);
  if (result.sides.size() < 2) return result;
  read_edits(scenario, run, gathering, result);
  settle_by_precedent(scenario, run, gathering, precedents, result);
  settle_by_kin(scenario, run, gathering, precedents, result);
  name_culprits(result, is_group_against_group(scenario, gathering, result.sides));
  for (const Side& side : result.sides)
    if (std::find(result.events.begin(), result.events.end(), *side.event) == result.events.end())
      result.events.push_back(*side.event);
  return result;
}

}  // namespace petri::diagnosis

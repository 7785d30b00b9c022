#include "harness/diagnose/turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "harness/diagnose/common_past.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/part_calls.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kMostSuspects = 16;
constexpr std::ptrdiff_t kLeastPlaces = 2;  // must agree on what comes next
constexpr std::size_t kWindow = CommonPast::kMostCalls;
constexpr std::size_t kMostCompared = 60'000'000;  // pairs of calls for one suspect
constexpr std::uint64_t kEnd = 1;                  // in place of a call: there is none any more

struct Turn {
  std::uint64_t call = 0;
  EventRef ref;
};
using Turns = std::vector<Turn>;

struct OutOfTurn {
  Turn instead, usual;
  std::vector<std::int32_t> others;  // ranks that did the usual thing after as much in common, but itself
};

class Reader {
 public:
  Reader(const Scenario& scenario, const model::Run& run)
      : scenario_(scenario), run_(run), whole_(with_one_known_order(scenario, run)) {}

  bool is_whole(std::int32_t rank) const { return whole_[static_cast<std::size_t>(rank)]; }

  Turns turns_of(std::int32_t rank) const {
    const auto slot = static_cast<std::size_t>(rank);
    const auto count = static_cast<std::uint32_t>(scenario_.ranks[slot].events.size());
    Turns turns;
    PartCalls calls(scenario_, run_, rank, std::nullopt);
    while (const auto call = calls.next())
      turns.push_back({kind_of(at(scenario_, call->ref).op) == OpKind::world ? kEnd : call->bare, call->ref});
    const bool ended = run_.standing[slot] == model::Standing::finished || run_.index[slot] >= count;
    if (ended && count > 0 && !turns.empty() && turns.back().call != kEnd) turns.push_back({kEnd, {rank, count - 1}});
    return turns;
  }

 private:
  const Scenario& scenario_;
  const model::Run& run_;
  std::vector<bool> whole_;
};

// Where each suspect last met another one, in the calls of both.
std::vector<std::optional<std::uint32_t>> last_meetings(const Scenario& scenario, const model::Run& run,
                                                        const std::vector<std::int32_t>& suspects) {
  std::vector<std::optional<std::uint32_t>> met(suspects.size());
  for (const model::Gathering& gathering : run.gatherings.all()) {
    if (gathering.missing != 0 || gathering.conflicted) continue;
    std::vector<std::pair<std::size_t, std::uint32_t>> came;
    for (std::size_t number = 0; number < suspects.size(); ++number) {
      const std::int32_t member = run.gatherings.member_index(gathering, suspects[number]);
      if (member < 0) continue;
      const std::uint32_t arrival = gathering.arrivals[static_cast<std::size_t>(member)];
      if (arrival < model::kBefore && form_of(at(scenario, {suspects[number], arrival}).op) == OpForm::blocking)
        came.emplace_back(number, arrival);
    }
    if (came.size() > 1)
      for (const auto& [number, arrival] : came) met[number] = std::max(met[number].value_or(0), arrival);
  }
  return met;
}

class Judge {
 public:
  Judge(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& suspects)
      : scenario_(scenario), run_(run), reader_(scenario, run), met_(last_meetings(scenario, run, suspects)) {
    ranks_ = suspects;
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
      if (!std::binary_search(suspects.begin(), suspects.end(), rank) && reader_.is_whole(rank)) ranks_.push_back(rank);
    partners_ = partners_of_all(scenario, run);
    std::size_t calls = 0;
    for (const std::int32_t rank : ranks_) {
      if (calls * (CommonPast::kContext + kWindow) > kMostCompared) break;
      turns_.push_back(reader_.turns_of(rank));
      histories_.add(calls_of(turns_.back()));
      calls += turns_.back().size();
    }
  }

  bool knows_all(const std::vector<std::int32_t>& suspects) const {
    const bool have_room = turns_.size() >= suspects.size();
    return have_room &&
           std::all_of(suspects.begin(), suspects.end(), [&](std::int32_t rank) { return reader_.is_whole(rank); });
  }

  // The first call out of turn of the suspect with this number, since it met others.
  std::optional<OutOfTurn> first_of(std::size_t suspect) const {
    const Turns& own = turns_[suspect];
    std::size_t first = own.size() > kWindow ? own.size() - kWindow : 0;
    while (first < own.size() && has_met(suspect, own[first])) ++first;
    const std::vector<bool> alike = alike_until(suspect, first);
    std::optional<CommonPast> past;
    for (std::size_t here = first; here < own.size(); ++here) {
      if (past)
        past->advance();
      else
        past.emplace(histories_, suspect, first);
      for (const auto& [call, places] : other_turns(suspect, first, here, *past, alike)) {
        if (!are_enough(suspect, here, places) || is_with_most(suspect, here, places)) continue;
        // What follows a call that only this rank makes belongs to a part of its own.
        return is_no_part(suspect, here) ? explained_by(suspect, own[here], places) : std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  struct Place {
    std::size_t number = 0;  // of the rank
    std::size_t there = 0;   // of its turn
    std::size_t common = 0;  // so many calls before it are those before the one that is looked at
  };
  static std::vector<std::uint64_t> calls_of(const Turns& turns) {
    std::vector<std::uint64_t> calls;
    for (const Turn& turn : turns) calls.push_back(turn.call);
    return calls;
  }
  const Turn& turn_at(const Place& place) const { return turns_[place.number][place.there]; }

  // Where more had been done as before turn `here` of the suspect than before any call like the one that it made there,
  // and another call followed that it could have made: by that call.
  std::map<std::uint64_t, std::vector<Place>> other_turns(std::size_t suspect, std::size_t first, std::size_t here,
                                                          const CommonPast& past,
                                                          const std::vector<bool>& alike) const {
    const std::uint64_t made = turns_[suspect][here].call;
    const CommonPast::Count same = past.most_before_equal_call();
    std::map<std::uint64_t, std::vector<Place>> others;
    for (std::size_t number = 0; number < turns_.size(); ++number) {
      if (!alike[number]) continue;
      const std::span<const CommonPast::Count> common = past.before_calls_of(number);
      for (std::size_t there = 0; there < common.size(); ++there) {
        if (common[there] <= same || turns_[number][there].call == made) continue;
        const Place place{number, there, common[there]};
        if (tells(suspect, here, place) && plays_its_part(suspect, first, here, place) && binds(suspect, here, place))
          others[turn_at(place).call].push_back(place);
      }
    }
    return others;
  }

  // Who did the same as the suspect, call by call, until `first`? Who did otherwise, and both went on, plays another
  // part: what it does after a few calls in common is no rule for this one.
  std::vector<bool> alike_until(std::size_t suspect, std::size_t first) const {
    const Turns& own = turns_[suspect];
    std::vector<bool> alike;
    for (const Turns& theirs : turns_)
      alike.push_back(theirs.size() >= first &&
                      std::equal(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(first), theirs.begin(),
                                 [](const Turn& one, const Turn& other) { return one.call == other.call; }));
    return alike;
  }

  // Messages of a kind that the suspect never had to do with until `first` may be those of a part that has only begun:
  // then the number of partners must do, or MPI_PROC_NULL stands in for those that one has not. A collective may be
  // new, where the other call is not.
  bool plays_its_part(std::size_t suspect, std::size_t first, std::size_t here, const Place& place) const {
    if (place.number == suspect || partners_of(suspect) == partners_of(place.number)) return true;
    const std::size_t fewer = partners_of(suspect) < partners_of(place.number) ? suspect : place.number;
    if (addresses_nobody(fewer)) return true;
    const Turns& own = turns_[suspect];
    const auto is_known = [&](const Turn& turn) {
      return std::any_of(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(first),
                         [&](const Turn& before) { return before.call == turn.call; });
    };
    const auto is_of_all = [&](const Turn& turn) {
      return turn.call == kEnd || kind_of(at(scenario_, turn.ref).op) == OpKind::collective;
    };
    const Turn &instead = own[here], &usual = turn_at(place);
    if (is_of_all(instead) && is_of_all(usual)) return is_known(instead) || is_known(usual);
    return (is_of_all(instead) || is_known(instead)) && (is_of_all(usual) || is_known(usual));
  }

  bool addresses_nobody(std::size_t number) const {
    return std::any_of(turns_[number].begin(), turns_[number].end(), [&](const Turn& turn) {
      const Event& event = at(scenario_, turn.ref);
      return event.peer == kNull || event.extras.sendpeer() == kNull || event.extras.recvpeer() == kNull;
    });
  }

  // A few calls in common tell nothing of a job that has only begun. All calls from the start do, or a whole
  // repetition. In a row of like calls, what follows depends on how many they are. The end of a loop is like no earlier
  // turn of the same rank.
  bool tells(std::size_t suspect, std::size_t here, const Place& place) const {
    if (place.common == here + 1) return true;
    const Turns &own = turns_[suspect], &theirs = turns_[place.number];
    if (place.number == suspect && own[here].call == kEnd) return false;
    const std::uint64_t last = own[here - 1].call;
    const auto goes_on_before = [&](const Turns& turns, std::size_t turn) {
      return turn > 0 && turns[turn - 1].call == last;
    };
    const auto end = own.begin() + static_cast<std::ptrdiff_t>(here);
    const auto common = static_cast<std::ptrdiff_t>(place.common);
    const auto like = std::count_if(end - common, end, [&](const Turn& turn) { return turn.call == last; });
    const bool is_row = like == common;
    return like > 1 && !(is_row && (goes_on_before(own, here - place.common) ||
                                    goes_on_before(theirs, place.there - place.common)));
  }

  // Is what a rank did there what the suspect should do? Of messages that it never had to do with before only ranks of
  // its part can tell.
  bool binds(std::size_t suspect, std::size_t here, const Place& place) const {
    const Turn& turn = turn_at(place);
    if (turn.call == kEnd || kind_of(at(scenario_, turn.ref).op) == OpKind::collective) return true;
    const auto end = turns_[suspect].begin() + static_cast<std::ptrdiff_t>(here);
    return partners_of(suspect) == partners_of(place.number) ||
           std::any_of(end - static_cast<std::ptrdiff_t>(std::min(here, place.common)), end,
                       [&](const Turn& own) { return own.call == turn.call; });
  }

  // Several must agree. What another suspect did since it met the others is as doubtful as what this one did, unless it
  // is what several did who made the same calls from the start. What suspects did at one turn of all is one place.
  bool are_enough(std::size_t suspect, std::size_t here, const std::vector<Place>& places) const {
    const auto from_start =
        std::count_if(places.begin(), places.end(), [&](const Place& place) { return is_from_start(here, place); });
    std::set<std::size_t> of_suspects;  // by turn
    std::ptrdiff_t of_others = 0;
    for (const Place& place : places) {
      if (place.number >= met_.size())
        ++of_others;
      else if (place.number == suspect || has_met(place.number, turn_at(place)))
        of_suspects.insert(place.there);
    }
    return std::max(from_start, of_others + static_cast<std::ptrdiff_t>(of_suspects.size())) >= kLeastPlaces;
  }
  static bool is_from_start(std::size_t here, const Place& place) { return place.common == here + 1; }
  bool has_met(std::size_t suspect, const Turn& turn) const {
    return turn.call != kEnd && met_[suspect] && turn.ref.index <= *met_[suspect];
  }

  std::size_t partners_of(std::size_t number) const { return partners_[static_cast<std::size_t>(ranks_[number])]; }

  std::optional<OutOfTurn> explained_by(std::size_t suspect, const Turn& instead,
                                        const std::vector<Place>& places) const {
    const auto usual = as_made_by(suspect, places);
    if (!usual) return std::nullopt;
    OutOfTurn odd{instead, *usual, {}};
    for (const Place& place : places)
      if (place.number != suspect) odd.others.push_back(ranks_[place.number]);
    std::sort(odd.others.begin(), odd.others.end());
    odd.others.erase(std::unique(odd.others.begin(), odd.others.end()), odd.others.end());
    return odd;
  }

  // The usual call as the suspect can make it: with members of its own group, where others made it in groups alike.
  // Nothing where it has none.
  std::optional<Turn> as_made_by(std::size_t suspect, const std::vector<Place>& places) const {
    const auto can_make = [&](const Turn& turn) {
      return turn.call == kEnd || run_.gatherings.group_rank(at(scenario_, turn.ref).comm, ranks_[suspect]) >= 0;
    };
    std::optional<Turn> usual;
    std::size_t most = 0;
    for (const Place& place : places)
      if (place.common > most && can_make(turn_at(place))) most = place.common, usual = turn_at(place);
    if (usual) return usual;
    const Turns& own = turns_[suspect];
    const std::uint64_t call = turn_at(places.front()).call;
    const auto made = std::find_if(own.rbegin(), own.rend(), [&](const Turn& turn) { return turn.call == call; });
    return made == own.rend() ? std::nullopt : std::optional(*made);
  }

  // Who stands in a collective with most of its members is where it should be, unless it left out what comes before, or
  // others who did just the same from the start say otherwise.
  bool is_with_most(std::size_t suspect, std::size_t here, const std::vector<Place>& places) const {
    const Turn& turn = turns_[suspect][here];
    const auto from_start = [&](const Place& place) { return is_from_start(here, place); };
    return std::none_of(places.begin(), places.end(), from_start) && came_with_most(turn.ref) &&
           made_since_a_collective(suspect, here, turn_at(places.front()).call);
  }

  bool came_with_most(EventRef call) const {
    const auto& all = run_.gatherings.all();
    return std::any_of(all.begin(), all.end(), [&](const model::Gathering& gathering) {
      if (gathering.conflicted || 2 * gathering.missing >= gathering.arrivals.size()) return false;
      const std::int32_t member = run_.gatherings.member_index(gathering, call.rank);
      return member >= 0 && gathering.arrivals[static_cast<std::size_t>(member)] == call.index;
    });
  }

  bool made_since_a_collective(std::size_t suspect, std::size_t here, std::uint64_t call) const {
    while (here-- > 0) {
      const Turn& turn = turns_[suspect][here];
      if (turn.call == call) return true;
      if (kind_of(at(scenario_, turn.ref).op) == OpKind::collective) return false;
    }
    return false;
  }

  // Do others make such calls as all that followed, or do several others not do their share?
  bool is_no_part(std::size_t suspect, std::size_t here) const {
    const Turns& own = turns_[suspect];
    // Two suspects may make the same wrong call.
    const auto is_made_by_others = [&](const Turn& turn) {
      for (std::size_t number = 0; number < turns_.size(); ++number)
        if (number != suspect && std::any_of(turns_[number].begin(), turns_[number].end(), [&](const Turn& other) {
              return other.call == turn.call && (number >= met_.size() || has_met(number, other));
            }))
          return true;
      return false;
    };
    return std::all_of(own.begin() + static_cast<std::ptrdiff_t>(here), own.end(), is_made_by_others) ||
           (own[here].call != kEnd && waits_for_several(own[here].ref));
  }

  bool waits_for_several(EventRef call) const {
    std::set<std::int32_t> partners;
    for (const model::Wait& wait : run_.waits)
      if (wait.rank == call.rank && wait.index >= call.index && !wait.any)
        for (const model::Atom& atom : wait.atoms)
          if (atom.kind == model::Atom::message || atom.kind == model::Atom::receiver) partners.insert(atom.peer);
    return partners.size() > 1 && partners.count(kAny) == 0;
  }

  const Scenario& scenario_;
  const model::Run& run_;
  Reader reader_;
  std::vector<std::optional<std::uint32_t>> met_;  // by suspect: where it last met another one
  std::vector<std::int32_t> ranks_;                // the suspects first
  std::vector<Turns> turns_;                       // of them, as far as there is room
  Histories histories_;                            // the same
  std::vector<std::size_t> partners_;              // how many, by rank
};

Testimony testimony_of(const Scenario& scenario, const OutOfTurn& odd) {
  const auto text_of = [&](const Turn& turn) {
    return turn.call == kEnd ? std::string("the end of all calls") : event_text(scenario, turn.ref);
  };
  const std::int32_t rank = odd.instead.ref.rank;
  const std::string instead = text_of(odd.instead), usual = text_of(odd.usual);
  Testimony told = explained({rank}, {odd.instead.ref},
                             fmt::format("Rank {} was out of turn: it came to {} ({}) where {} was expected.", rank,
                                         instead, place_text(at(scenario, odd.instead.ref)), usual));
  told.expected = fmt::format("{}, as in {} after the same calls", usual,
                              odd.others.empty() ? "its own turns" : ranks_text(odd.others));
  told.actual = fmt::format("rank {}: {}", rank, instead);
  return told;
}

}  // namespace

std::optional<Testimony> out_of_turn(const Scenario& scenario, const model::Run& run,
                                     const std::vector<std::int32_t>& suspects) {
  if (suspects.size() > kMostSuspects) return std::nullopt;
  const Judge judge(scenario, run, suspects);
  if (!judge.knows_all(suspects)) return std::nullopt;
  std::optional<OutOfTurn> found;
  for (std::size_t number = 0; number < suspects.size(); ++number) {
    auto odd = judge.first_of(number);
    if (!odd) continue;
    if (found) return std::nullopt;
    found = std::move(odd);
  }
  return found ? std::optional(testimony_of(scenario, *found)) : std::nullopt;
}

}  // namespace petri::diagnosis

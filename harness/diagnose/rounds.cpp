#include "harness/diagnose/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/part_calls.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastMembers = 3;

struct Round {
  std::uint64_t begun_by = 0;        // the collective before it
  std::vector<std::uint64_t> calls;  // behind that
  std::vector<EventRef> places;      // of `calls`
  std::uint64_t ended_by = 0;        // the next collective
  std::optional<EventRef> end;       // nothing: it came to none
};

// The rounds of a rank up to where it stands, but what it did before its first collective.
std::vector<Round> rounds_of(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  std::vector<Round> rounds;
  PartCalls reader(scenario, run, rank, std::nullopt);
  while (const auto call = reader.next()) {
    if (kind_of(at(scenario, call->ref).op) != OpKind::collective) {
      if (rounds.empty()) continue;
      rounds.back().calls.push_back(call->bare);
      rounds.back().places.push_back(call->ref);
      continue;
    }
    if (!rounds.empty()) {
      rounds.back().ended_by = call->bare;
      rounds.back().end = call->ref;
    }
    rounds.push_back({call->bare, {}, {}, 0, std::nullopt});
  }
  return rounds;
}

// Did all earlier rounds that began as this one does consist of `calls`, and end in such a collective?
bool are_all_like(const std::vector<Round>& earlier, std::uint64_t begun_by, const std::vector<std::uint64_t>& calls,
                  std::uint64_t ended_by) {
  std::size_t like = 0;
  for (const Round& round : earlier) {
    if (round.begun_by != begun_by) continue;
    if (round.calls != calls || round.ended_by != ended_by) return false;
    ++like;
  }
  return like > 0;
}

// Is this round of a rank that stands in a collective as its earlier ones? Returns the kind of the collective.
std::optional<std::uint64_t> usual_end(const Scenario& scenario, const model::Run& run, EventRef arrival) {
  std::vector<Round> rounds = rounds_of(scenario, run, arrival.rank);
  if (rounds.size() < 3) return std::nullopt;
  rounds.pop_back();  // begun by where it stands
  const Round round = std::move(rounds.back());
  rounds.pop_back();
  if (round.end != arrival || !are_all_like(rounds, round.begun_by, round.calls, round.ended_by)) return std::nullopt;
  return round.ended_by;
}

// The call of a rank that follows a whole round, in place of the collective that ended all earlier ones: the one that
// begins the rounds behind that. Another one may be what the rank does from time to time.
struct WentOn {
  EventRef call;
  EventRef usual;  // in the round before
};
std::optional<WentOn> went_on(const Scenario& scenario, const model::Run& run, std::int32_t rank, std::uint64_t usual) {
  std::vector<Round> rounds = rounds_of(scenario, run, rank);
  if (rounds.size() < 2) return std::nullopt;
  const Round round = std::move(rounds.back());
  rounds.pop_back();
  const auto before =
      std::find_if(rounds.rbegin(), rounds.rend(), [&](const Round& one) { return one.begun_by == round.begun_by; });
  if (before == rounds.rend() || before->calls.size() >= round.calls.size() ||
      !std::equal(before->calls.begin(), before->calls.end(), round.calls.begin()) ||
      !are_all_like(rounds, round.begun_by, before->calls, usual))
    return std::nullopt;
  const std::size_t next = before->calls.size();
  const bool begins_rounds = std::any_of(rounds.begin(), rounds.end(), [&](const Round& one) {
    return one.begun_by == usual && !one.calls.empty() && one.calls.front() == round.calls[next];
  });
  return begins_rounds ? std::optional(WentOn{round.places[next], *before->end}) : std::nullopt;
}

// Of a collective that all suspects but the absentee stand in, each in its usual turn.
std::optional<WentOn> went_on_without(const Scenario& scenario, const model::Run& run,
                                      const model::Gathering& gathering, const std::vector<std::int32_t>& suspects,
                                      std::int32_t absentee) {
  std::optional<std::uint64_t> usual;
  for (const std::int32_t rank : suspects) {
    if (rank == absentee) continue;
    const std::int32_t member = run.gatherings.member_index(gathering, rank);
    if (member < 0) return std::nullopt;
    const auto end = usual_end(scenario, run, {rank, gathering.arrivals[static_cast<std::size_t>(member)]});
    if (!end || (usual && *usual != *end)) return std::nullopt;
    usual = end;
  }
  return usual ? went_on(scenario, run, absentee, *usual) : std::nullopt;
}

}  // namespace

std::optional<std::int32_t> only_absentee(const model::Run& run, const model::Gathering& gathering) {
  if (gathering.missing != 1 || gathering.conflicted || gathering.arrivals.size() < kLeastMembers) return std::nullopt;
  const auto& members = run.gatherings.members(gathering);
  std::optional<std::int32_t> absentee;
  for (std::size_t member = 0; member < members.size(); ++member) {
    const std::uint32_t arrival = gathering.arrivals[member];
    if (arrival == model::kAbsent)
      absentee = members[member];
    else if (run.index[static_cast<std::size_t>(members[member])] != arrival)
      return std::nullopt;
  }
  return absentee;
}

std::optional<Testimony> went_on_alone(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& suspects) {
  const std::vector<bool> known = with_one_known_order(scenario, run);
  if (!std::all_of(suspects.begin(), suspects.end(), [&](auto rank) { return known[static_cast<std::size_t>(rank)]; }))
    return std::nullopt;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    const auto absentee = only_absentee(run, gathering);
    if (!absentee || !std::binary_search(suspects.begin(), suspects.end(), *absentee)) continue;
    const auto found = went_on_without(scenario, run, gathering, suspects, *absentee);
    if (!found) continue;
    const std::string instead = event_text(scenario, found->call), usual = event_text(scenario, found->usual);
    Testimony told =
        explained({*absentee}, {found->call},
                  fmt::format("Rank {} went on without the others: it came to {} ({}) where it was the turn of {}.",
                              *absentee, instead, place_text(at(scenario, found->call)), usual));
    told.expected = fmt::format("{}, as in all earlier rounds of rank {}", usual, *absentee);
    told.actual = fmt::format("rank {}: {}", *absentee, instead);
    return told;
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis

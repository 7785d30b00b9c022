#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "harness/diagnose/blame.hpp"
#include "harness/diagnose/deadlock_case.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/testimony.hpp"

namespace petri::diagnosis {
namespace {

// "ranks 0-4 are in allreduce …, rank 5 is in barrier …", the usual first.
std::string sides_text(const Blame& who) {
  std::vector<std::string> parts;
  for (const Side& side : who.sides)
    parts.push_back(fmt::format("{} {} {}{}", ranks_text(side.ranks), side.ranks.size() == 1 ? "is" : "are",
                                side.event ? "in " : "", side.text));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string call_text(const Scenario& scenario, const Blame& who) {
  return fmt::format("{} ({})", event_text(scenario, *who.call), place_text(at(scenario, *who.call)));
}

std::string text_of(const DeadlockCase& deadlock, const model::Gathering& gathering, const Blame& who) {
  const std::string comm = name_of(deadlock.scenario, deadlock.run.gatherings.venue_of(gathering));
  const std::string meeting =
      fmt::format("At the {} collective on {}, {}", ordinal_text(gathering.position), comm, sides_text(who));
  const std::string culprits = sentence_start(who.tie ? who.sides[1].ranks : who.culprits);
  switch (who.reading) {
    case Reading::extra:
      return fmt::format("{} made a call that the others do not make: {}. {}.", culprits,
                         call_text(deadlock.scenario, who), meeting);
    case Reading::skipped:
      return fmt::format("{} left out a call that the others make: {}. {}.", culprits,
                         call_text(deadlock.scenario, who), meeting);
    case Reading::swapped: return fmt::format("The ranks make the same calls in another order. {}.", meeting);
    case Reading::unclear: break;
  }
  return fmt::format("The ranks do different things. {}.", meeting);
}

}  // namespace

Finding tell_of_gathering(const DeadlockCase& deadlock, std::uint32_t number) {
  const model::Gathering& gathering = deadlock.run.gatherings[number];
  const Blame who = blame(deadlock.scenario, deadlock.run, gathering, deadlock.precedents);
  if (who.sides.size() < 2) return tell_of_cycle(deadlock);
  const Side &most = who.sides[0], &odd = who.sides[1];
  Finding finding;
  finding.culprits = who.culprits;
  finding.events = who.events;
  finding.expected = fmt::format("{}: {}", ranks_text(most.ranks), most.text);
  finding.actual = fmt::format("{}: {}", ranks_text(odd.ranks), odd.text);
  finding.text = text_of(deadlock, gathering, who);
  if (who.reading == Reading::skipped) finding.call = who.call;
  if (!who.other_reading.empty()) finding.evidence.push_back(who.other_reading);
  if (!who.precedent.empty()) finding.evidence.push_back(who.precedent);
  if (!who.silent.empty())
    finding.evidence.push_back(
        fmt::format("{} not counted: the record does not say where they are", ranks_text(who.silent)));
  if (who.by_majority)
    finding.evidence.push_back(fmt::format("{} named because {} of {} ranks agree on the other call",
                                           ranks_text(who.culprits), most.ranks.size(),
                                           deadlock.run.gatherings.members(gathering).size()));
  return finding;
}

}  // namespace petri::diagnosis

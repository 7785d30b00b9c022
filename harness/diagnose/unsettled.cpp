#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Atom;
using model::Standing;

// Ranks that a blocked rank waits for directly.
std::set<std::int32_t> awaited_by(const model::Run& run, const model::Wait& wait) {
  std::set<std::int32_t> awaited;
  for (const Atom& atom : wait.atoms) {
    if (atom.kind == Atom::gathering) {
      const model::Gathering& gathering = run.gatherings[atom.number];
      const auto& members = run.gatherings.members(gathering);
      for (std::size_t member = 0; member < members.size(); ++member)
        if (gathering.arrivals[member] == model::kAbsent) awaited.insert(members[member]);
    } else if (atom.kind == Atom::finalize) {
      for (std::size_t rank = 0; rank < run.standing.size(); ++rank) awaited.insert(static_cast<std::int32_t>(rank));
    } else if (atom.peer != kAny) {
      awaited.insert(atom.peer);
    } else {
      const auto& members = run.gatherings.ranks_of(atom.comm);
      awaited.insert(members.begin(), members.end());
    }
  }
  return awaited;
}

std::set<std::int32_t> awaited_ranks(const model::Run& run) {
  std::set<std::int32_t> awaited;
  for (const model::Wait& wait : run.waits) awaited.merge(awaited_by(run, wait));
  return awaited;
}

// A running rank that the record shows inside calls which the model lets it leave is not computing.
bool in_a_call(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  return std::all_of(run.lanes.begin(), run.lanes.end(), [&](const model::Lane& lane) {
    return lane.rank != rank || lane.standing != Standing::running || model::ends_in_a_call(scenario, lane);
  });
}

// The call in which a rank waits; nothing for a finalize that its record implies.
std::optional<EventRef> call_of(const Scenario& scenario, const model::Wait& wait) {
  if (wait.index >= scenario.ranks[static_cast<std::size_t>(wait.rank)].events.size()) return std::nullopt;
  return EventRef{wait.rank, wait.index};
}

std::string_view op_of(const Scenario& scenario, const model::Wait& wait) {
  const auto call = call_of(scenario, wait);
  return name_of(call ? at(scenario, *call).op : Op::finalize);
}

// "ranks 0,2 wait in barrier at solver.c:12".
std::string waiters_text(const Scenario& scenario, const std::vector<model::Wait>& waits) {
  std::vector<std::int32_t> ranks;
  for (const model::Wait& wait : waits) ranks.push_back(wait.rank);
  const auto call = call_of(scenario, waits.front());
  return fmt::format("{} {} in {}", ranks_text(ranks), ranks.size() > 1 ? "wait" : "waits",
                     call ? event_text(scenario, *call) : "finalize");
}

// Of those who wait for slow ranks, the ones who wait for the fewest others besides: what holds them up holds up the
// rest. All in the same operation.
std::vector<model::Wait> nearest_waits(const Scenario& scenario, const model::Run& run,
                                       const std::vector<std::int32_t>& slow) {
  std::map<std::pair<std::size_t, std::string_view>, std::vector<model::Wait>> by_others;
  for (const model::Wait& wait : run.waits) {
    const std::set<std::int32_t> awaited = awaited_by(run, wait);
    const auto own =
        std::count_if(slow.begin(), slow.end(), [&](std::int32_t rank) { return awaited.count(rank) != 0; });
    if (own != 0) by_others[{awaited.size() - static_cast<std::size_t>(own), op_of(scenario, wait)}].push_back(wait);
  }
  return by_others.begin()->second;
}

Fault skew(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& slow) {
  Finding finding;
  finding.kind = Verdict::skew;
  finding.culprits = slow;
  std::string doing = "made no call yet";
  bool inside = false;
  std::string form = "compute";
  const auto& events = scenario.ranks[static_cast<std::size_t>(slow.front())].events;
  if (!events.empty()) {
    const std::uint32_t index = run.index[static_cast<std::size_t>(slow.front())];
    const EventRef place{slow.front(), std::min(index, static_cast<std::uint32_t>(events.size() - 1))};
    const Event& event = at(scenario, place);
    finding.events.push_back(place);
    inside = event.state == EventState::started;
    doing = fmt::format("{} {} ({})", inside ? "is in" : "is in no recorded call since", event_text(scenario, event),
                        place_text(event));
    if (inside) form = name_of(event.op);
  }
  const std::vector<model::Wait> waits = nearest_waits(scenario, run, slow);
  if (const auto call = call_of(scenario, waits.front())) finding.events.push_back(*call);
  finding.expected = "arrival at the call in which the others wait";
  finding.actual = fmt::format("{} {}", ranks_text(slow), doing);
  // Whoever is in no recorded call may compute, or be in a call of a library that is not recorded: nothing is proved.
  finding.text = inside ? fmt::format("No deadlock: rank {} {} and can still come; {} for it.", slow.front(), doing,
                                      waiters_text(scenario, waits))
                        : fmt::format(
                              "No deadlock is proved: rank {} {}, and can still come unless it waits there for "
                              "something else; {} for it.",
                              slow.front(), doing, waiters_text(scenario, waits));
  return {{finding}, fmt::format("A({}) B({}@0 waits for A)", form, op_of(scenario, waits.front()))};
}

Fault no_record(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& unknown) {
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.expected = fmt::format("a whole record of {}", ranks_text(unknown));
  finding.actual = "cut or missing";
  if (const auto call = call_of(scenario, run.waits.front())) finding.events.push_back(*call);
  finding.text = fmt::format("The evidence does not decide: {} for {}, whose record is cut or missing.",
                             waiters_text(scenario, run.waits), ranks_text(unknown));
  finding.evidence.push_back(fmt::format("the record of {} would settle it", ranks_text(unknown)));
  return {{finding}, "record missing"};
}

Fault no_ordering_fault(const Scenario& scenario, std::vector<std::int32_t> inside) {
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.expected = "a difference between the ranks' schedules";
  finding.actual = "the schedules agree";
  for (const std::int32_t rank : inside)
    finding.events.push_back(
        {rank, static_cast<std::uint32_t>(scenario.ranks[static_cast<std::size_t>(rank)].events.size() - 1)});
  if (inside.empty()) {
    finding.text =
        "The job was seen to hang, but in the recorded schedule no rank is blocked: the orders agree on all ranks, so "
        "it is not a fault of the schedule.";
  } else {
    finding.text = fmt::format(
        "{} did not return from {}, though nothing in the schedule blocks it: the orders agree on all ranks, so it is "
        "not a fault of the schedule.",
        ranks_text(inside), event_text(scenario, finding.events.front()));
    finding.text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(finding.text[0])));
  }
  finding.evidence.push_back("look at the transport, the library and the devices: the trace cannot say more");
  return {{finding}, "schedules agree"};
}

// A watchdog spoke while a rank slept, and the schedule is sound.
std::optional<EventRef> sleeper(const Scenario& scenario) {
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index)
      if (events[index].op == Op::sleep) return EventRef{rank, index};
  }
  return std::nullopt;
}

Fault slept(const Scenario& scenario, EventRef place) {
  Finding finding;
  finding.kind = Verdict::skew;
  finding.culprits = {place.rank};
  finding.events = {place};
  finding.expected = "the other ranks' pace";
  finding.actual = fmt::format("rank {}: {}", place.rank, event_text(scenario, place));
  finding.text = fmt::format("No deadlock: the schedule completes, and rank {} only comes late after {} ({}).",
                             place.rank, event_text(scenario, place), place_text(at(scenario, place)));
  return {{finding}, "A(sleep)"};
}

}  // namespace

std::optional<Fault> find_unsettled(const Scenario& scenario, const model::Run& run) {
  if (!run.waits.empty()) {
    std::vector<std::int32_t> slow, inside, unknown;
    for (const std::int32_t rank : awaited_ranks(run)) {
      const Standing standing = run.standing[static_cast<std::size_t>(rank)];
      if (standing == Standing::unknown) unknown.push_back(rank);
      if (standing == Standing::running) (in_a_call(scenario, run, rank) ? inside : slow).push_back(rank);
    }
    if (!slow.empty()) return skew(scenario, run, slow);
    if (!unknown.empty()) return no_record(scenario, run, unknown);
    if (!inside.empty()) return no_ordering_fault(scenario, inside);
    return std::nullopt;
  }
  std::vector<std::int32_t> inside;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (run.standing[static_cast<std::size_t>(rank)] == Standing::running && in_a_call(scenario, run, rank))
      inside.push_back(rank);
  if (!inside.empty()) return no_ordering_fault(scenario, inside);
  const bool seen_hanging = scenario.header.observed && scenario.header.observed->verdict == Verdict::deadlock;
  if (!seen_hanging) return std::nullopt;
  if (const auto place = sleeper(scenario)) return slept(scenario, *place);
  return no_ordering_fault(scenario, {});
}

std::optional<Fault> find_gaps(const Scenario& scenario, const model::Run& run) {
  std::vector<std::string> reasons;
  if (scenario.cut) reasons.push_back("the file stops before its end line");
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (run.standing[static_cast<std::size_t>(rank)] == model::Standing::unknown && !scenario.cut) {
      reasons.push_back("the record of some ranks is cut or missing");
      break;
    }
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (!run.waits.empty() && run.truncated[static_cast<std::size_t>(rank)]) {
      reasons.push_back("a ring buffer lost the start of some ranks' histories; a larger ring would settle it");
      break;
    }
  if (std::count(run.standing.begin(), run.standing.end(), model::Standing::running) > 0)
    reasons.push_back("the job was still running when the record ends");
  for (const EventRef ref : run.unmodelled) {
    const Event& event = at(scenario, ref);
    if (!model::is_modelled(event.op))
      reasons.push_back(fmt::format("{} is not judged by this version", name_of(event.op)));
  }
  if (reasons.empty()) return std::nullopt;
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.expected = "a whole record of calls that can be judged";
  finding.actual = reasons.front();
  finding.text = fmt::format("Nothing wrong is in the record, but it does not decide: {}.", reasons.front());
  finding.evidence.assign(reasons.begin() + 1, reasons.end());
  return Fault{{finding}, "record not whole"};
}

}  // namespace petri::diagnosis

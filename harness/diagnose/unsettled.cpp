#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "harness/diagnose/absent.hpp"
#include "harness/diagnose/awaited.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Standing;

EventRef last_call(const Scenario& scenario, std::int32_t rank) {
  return {rank, static_cast<std::uint32_t>(scenario.ranks[static_cast<std::size_t>(rank)].events.size() - 1)};
}

// What is not recorded of a call, so that nobody can say whom it waits for; empty where all is there.
std::string_view untold(const Scenario& scenario, const model::Run& run, const Event& event) {
  const OpKind kind = kind_of(event.op);
  const EventExtras& extras = event.extras;
  if (!model::is_modelled(event.op)) return "how it is matched";
  if (kind == OpKind::wait || kind == OpKind::test || kind == OpKind::request || kind == OpKind::world) return "";
  if (!run.gatherings.members_known(event.comm) && !scenario.comms[static_cast<std::size_t>(event.comm)].is_inter())
    return "its communicator's group";
  const bool names_peer = event.peer != kUnset || extras.sendpeer() != kUnset || extras.recvpeer() != kUnset;
  const bool has_peer =
      kind == OpKind::send || kind == OpKind::recv || kind == OpKind::sendrecv || kind == OpKind::probe;
  return has_peer && !names_peer ? "its peer" : "";
}

// Calls in flight of which the record does not say whom they wait for.
std::optional<Fault> untold_calls(const Scenario& scenario, const model::Run& run,
                                  const std::vector<std::int32_t>& inside) {
  std::map<std::string, std::vector<std::int32_t>> ranks;  // by what is said of them
  Finding finding;
  finding.kind = Verdict::ambiguous;
  std::string_view first;
  for (const std::int32_t rank : inside) {
    const EventRef call = last_call(scenario, rank);
    const std::string_view what = untold(scenario, run, at(scenario, call));
    if (what.empty()) continue;
    if (first.empty()) first = what;
    finding.events.push_back(call);
    ranks[fmt::format("did not return from {}, and {} is not recorded", event_text(scenario, at(scenario, call)), what)]
        .push_back(rank);
  }
  if (ranks.empty()) return std::nullopt;
  finding.expected = "calls of which the record says whom they wait for";
  finding.actual = fmt::format("{} is not recorded", first);
  constexpr std::size_t kTold = 3;
  for (const auto& [said, who] : ranks) {
    const std::string sentence = capitalized(fmt::format("{} {}", ranks_text(who), said));
    if (finding.text.empty())
      finding.text = sentence + ": whether the schedule blocks it cannot be known.";
    else if (finding.evidence.size() < kTold)
      finding.evidence.push_back(sentence);
  }
  return Fault{{finding}, "calls not told"};
}

Fault no_ordering_fault(const Scenario& scenario, std::vector<std::int32_t> inside) {
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.expected = "a difference between the ranks' schedules";
  finding.actual = "the schedules agree";
  for (const std::int32_t rank : inside) finding.events.push_back(last_call(scenario, rank));
  if (inside.empty()) {
    finding.text =
        "The job was seen to hang, but in the recorded schedule no rank is blocked: the orders agree on all ranks, so "
        "it is not a fault of the schedule.";
  } else {
    finding.text = fmt::format(
        "{} did not return from {}, though nothing in the schedule blocks it: the orders agree on all ranks, so it is "
        "not a fault of the schedule.",
        ranks_text(inside), event_text(scenario, finding.events.front()));
    finding.text = capitalized(std::move(finding.text));
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
    if (auto fault = find_absent(scenario, run)) return fault;
    std::vector<std::int32_t> inside;
    for (const std::int32_t rank : awaited_ranks(run))
      if (run.standing[static_cast<std::size_t>(rank)] == Standing::running) inside.push_back(rank);
    if (inside.empty()) return std::nullopt;
    if (auto fault = untold_calls(scenario, run, inside)) return fault;
    return no_ordering_fault(scenario, inside);
  }
  if (auto fault = find_idle(scenario, run)) return fault;
  std::vector<std::int32_t> inside;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (run.standing[static_cast<std::size_t>(rank)] == Standing::running && in_a_call(scenario, run, rank))
      inside.push_back(rank);
  if (!inside.empty()) {
    if (auto fault = untold_calls(scenario, run, inside)) return fault;
    return no_ordering_fault(scenario, inside);
  }
  const bool seen_hanging = scenario.header.observed && scenario.header.observed->verdict == Verdict::deadlock;
  if (!seen_hanging) return std::nullopt;
  if (const auto place = sleeper(scenario)) return slept(scenario, *place);
  return no_ordering_fault(scenario, {});
}

// Those that did not answer, where that is all there is: no rank's record has a call, as in a report of counts that are
// equal. Beside calls of others, none of which waits for them, a record that was not kept points at nobody.
std::vector<std::int32_t> unseen(const Scenario& scenario, const model::Run& run) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (scenario.ranks[static_cast<std::size_t>(rank)].end.kind == EndKind::missing) ranks.push_back(rank);
  const bool no_calls =
      std::all_of(scenario.ranks.begin(), scenario.ranks.end(), [](const auto& trace) { return trace.events.empty(); });
  const bool others_run = std::count(run.standing.begin(), run.standing.end(), Standing::running) > 0;
  const bool are_few = 2 * ranks.size() < static_cast<std::size_t>(scenario.world());
  const auto unknown = std::count(run.standing.begin(), run.standing.end(), Standing::unknown);
  const bool are_all = static_cast<std::size_t>(unknown) == ranks.size();
  return no_calls && others_run && are_few && are_all && !scenario.cut ? ranks : std::vector<std::int32_t>();
}

std::optional<Fault> find_gaps(const Scenario& scenario, const model::Run& run) {
  std::vector<std::string> reasons;
  const std::vector<std::int32_t> missing = unseen(scenario, run);
  if (scenario.cut) reasons.push_back("the file stops before its end line");
  std::vector<std::int32_t> unknown;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (run.standing[static_cast<std::size_t>(rank)] == model::Standing::unknown && !scenario.cut)
      unknown.push_back(rank);
  if (!unknown.empty())
    reasons.push_back(missing.empty() ? fmt::format("the record of {} is cut or missing", ranks_text(unknown))
                                      : fmt::format("{} left no record", ranks_text(missing)));
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
  finding.culprits = missing;
  finding.expected = "a whole record of calls that can be judged";
  finding.actual = reasons.front();
  finding.text = fmt::format("Nothing wrong is in the record, but it does not decide: {}.", reasons.front());
  finding.evidence.assign(reasons.begin() + 1, reasons.end());
  if (!missing.empty())
    finding.evidence.push_back(
        "nothing else is odd; a missing record does not tell whether its rank is gone or was only not seen");
  return Fault{{finding}, "record not whole"};
}

}  // namespace petri::diagnosis

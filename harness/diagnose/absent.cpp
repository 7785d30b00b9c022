#include "harness/diagnose/absent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "harness/diagnose/awaited.hpp"
#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/kin.hpp"
#include "harness/diagnose/precedent.hpp"
#include "harness/diagnose/unrecorded.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

using model::Standing;
using Ranks = std::vector<std::int32_t>;

const RankEnd& end_of(const Scenario& scenario, std::int32_t rank) {
  return scenario.ranks[static_cast<std::size_t>(rank)].end;
}

bool is_in(const Ranks& ranks, std::int32_t rank) {
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

// Those who are awaited, in ascending order.
struct Awaited {
  Ranks slow;      // still there, and in no call
  Ranks unknown;   // without a record, or with one that stops early
  Ranks unplaced;  // a ring buffer lost the start of their records, and with it where they stand
};

Awaited classify(const Scenario& scenario, const model::Run& run) {
  Awaited all;
  for (const std::int32_t rank : awaited_ranks(run)) {
    const Standing standing = run.standing[static_cast<std::size_t>(rank)];
    const EndKind end = end_of(scenario, rank).kind;
    if (standing == Standing::running && !in_a_call(scenario, run, rank)) all.slow.push_back(rank);
    if (standing == Standing::unknown && (end == EndKind::cut || end == EndKind::missing || scenario.cut))
      all.unknown.push_back(rank);
    else if (standing == Standing::unknown)
      all.unplaced.push_back(rank);
  }
  return all;
}

// Ranks with nothing pending, other than `slow`, of which nobody knows whether they are awaited: those who would wait
// for them left no record of where they wait. In a job that hangs they have stopped, too, unless most have: then they
// may be behind all calls.
Ranks idle_beside(const Scenario& scenario, const model::Run& run, const Ranks& slow) {
  if (std::count(run.standing.begin(), run.standing.end(), Standing::unknown) == 0) return {};
  Ranks idle;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    if (run.standing[static_cast<std::size_t>(rank)] == Standing::running && !in_a_call(scenario, run, rank) &&
        !is_in(slow, rank))
      idle.push_back(rank);
  return 2 * (idle.size() + slow.size()) <= scenario.ranks.size() ? idle : Ranks();
}

// Ranks that wait, and whose rings lost where.
Ranks lost_places(const Scenario& scenario, const model::Run& run) {
  Ranks lost;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto slot = static_cast<std::size_t>(rank);
    const auto& events = scenario.ranks[slot].events;
    if (run.standing[slot] == Standing::unknown && run.truncated[slot] && !events.empty() &&
        events.back().state != EventState::completed)
      lost.push_back(rank);
  }
  return lost;
}

// Some ranks and all who wait for them, for one of these, and so on.
Ranks with_waiting(const model::Run& run, const Ranks& ranks) {
  std::vector<std::pair<std::int32_t, std::set<std::int32_t>>> waits;
  for (const model::Wait& wait : run.waits) waits.emplace_back(wait.rank, awaited_by(run, wait));
  std::set<std::int32_t> late(ranks.begin(), ranks.end());
  for (std::size_t before = 0; before != late.size();) {
    before = late.size();
    for (const auto& [rank, awaited] : waits)
      if (std::any_of(awaited.begin(), awaited.end(), [&](std::int32_t other) { return late.contains(other); }))
        late.insert(rank);
  }
  return {late.begin(), late.end()};
}

// Those of `some` without whom a wait is not explained: nobody in `others` is awaited in it, nor in another one with
// them, in which they may be waiting themselves.
Ranks needed(const model::Run& run, const Ranks& some, const Ranks& others) {
  std::set<std::int32_t> alone, beside;
  for (const model::Wait& wait : run.waits) {
    const std::set<std::int32_t> awaited = awaited_by(run, wait);
    const bool explained =
        std::any_of(others.begin(), others.end(), [&](std::int32_t rank) { return awaited.contains(rank); });
    for (const std::int32_t rank : some)
      if (awaited.contains(rank)) (explained ? beside : alone).insert(rank);
  }
  Ranks found;
  std::set_difference(alone.begin(), alone.end(), beside.begin(), beside.end(), std::back_inserter(found));
  return found;
}

// Those of `some` that left no record and of which only messages are awaited, by processes in blocking calls. They may
// themselves wait for one that is known to be late, as any process may for another: one fault explains it all then.
Ranks awaited_for_messages(const Scenario& scenario, const model::Run& run, const Ranks& some) {
  std::set<std::int32_t> otherwise;
  for (const model::Wait& wait : run.waits) {
    const bool by_messages = std::all_of(wait.atoms.begin(), wait.atoms.end(), [&](const model::Atom& atom) {
      const bool message = atom.kind == model::Atom::message || atom.kind == model::Atom::receiver;
      return message && !model::is_enqueued_somewhere(scenario, at(scenario, atom.posted));
    });
    if (!by_messages) otherwise.merge(awaited_by(run, wait));
  }
  Ranks found;
  for (const std::int32_t rank : some)
    if (end_of(scenario, rank).kind == EndKind::missing && !otherwise.contains(rank)) found.push_back(rank);
  return found;
}

// "left no record" and the like, of ranks that are alike in it.
std::string_view record_text(const Scenario& scenario, std::int32_t rank) {
  return end_of(scenario, rank).kind == EndKind::missing
             ? "left no record"
             : "left a record that stops early: others completed what it still shows open";
}

void say_records(const Scenario& scenario, const Ranks& ranks, std::string_view rest, Finding& finding) {
  for (const EndKind kind : {EndKind::missing, EndKind::cut}) {
    Ranks alike;
    for (const std::int32_t rank : ranks)
      if ((end_of(scenario, rank).kind == EndKind::missing) == (kind == EndKind::missing)) alike.push_back(rank);
    if (!alike.empty())
      finding.evidence.push_back(fmt::format("{} {}{}", ranks_text(alike), record_text(scenario, alike.front()), rest));
  }
}

// Where slow ranks are, and what they do there.
struct Whereabouts {
  std::optional<EventRef> place;  // the call that they are in, or their last one
  bool inside = false;
  std::string doing = "made no call yet";
};

Whereabouts whereabouts(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  Whereabouts where;
  const auto slot = static_cast<std::size_t>(rank);
  const auto& events = scenario.ranks[slot].events;
  if (events.empty()) {
    if (!end_of(scenario, rank).joined.empty()) where.doing = "is in no recorded call";
    return where;
  }
  where.place = EventRef{rank, std::min(run.index[slot], static_cast<std::uint32_t>(events.size() - 1))};
  const Event& event = at(scenario, *where.place);
  where.inside = event.state == EventState::started;
  where.doing = fmt::format("{} {} ({})", where.inside ? "is in" : "is in no recorded call since",
                            event_text(scenario, event), place_text(event));
  return where;
}

bool waits_in_enqueued(const Scenario& scenario, const model::Wait& wait) {
  const auto call = call_of(scenario, wait);
  return call && (model::is_enqueued_somewhere(scenario, at(scenario, *call)) ||
                  kind_of(at(scenario, *call).op) == OpKind::wait);
}

// Whoever is in no recorded call may compute, or be in a call of a library that is not recorded: nothing is proved.
std::string skew_text(const Scenario& scenario, const model::Run& run, const Ranks& slow, const Whereabouts& where,
                      const std::vector<model::Wait>& waits) {
  const std::string waiters = waiters_text(scenario, waits);
  const bool one = slow.size() == 1;
  std::set<std::int32_t> awaited;
  for (const model::Wait& wait : waits) awaited.merge(awaited_by(run, wait));
  Ranks of_them;
  std::set_intersection(slow.begin(), slow.end(), awaited.begin(), awaited.end(), std::back_inserter(of_them));
  const std::string whom = of_them != slow ? ranks_text(of_them) : one ? "it" : "them";
  if (where.inside && one)
    return fmt::format("No deadlock: rank {} {} and can still come; {} for it.", slow.front(), where.doing, waiters);
  if (waits_in_enqueued(scenario, waits.front()) && !where.inside)
    return capitalized(
        fmt::format("{} stopped issuing calls and {} nothing pending; {} for {}. Whether {} computes, "
                    "sleeps or is gone, the record does not say.",
                    ranks_text(slow), one ? "has" : "have", waiters, whom, one ? "it" : "each of them"));
  return fmt::format(
      "No deadlock is proved: {} {}, and can still come unless it waits there for something else; {} for {}.",
      one ? ranks_text(slow)
          : fmt::format("{} (and {})", ranks_text({slow.front()}), ranks_text({slow.begin() + 1, slow.end()})),
      where.doing, waiters, whom);
}

Fault skew(const Scenario& scenario, const model::Run& run, const Awaited& awaited) {
  Finding finding;
  finding.kind = Verdict::skew;
  const Ranks beside = idle_beside(scenario, run, awaited.slow);
  Ranks stopped = awaited.slow;
  stopped.insert(stopped.end(), beside.begin(), beside.end());
  std::sort(stopped.begin(), stopped.end());
  Ranks also = needed(run, awaited.unknown, with_waiting(run, stopped));
  const Kin kin(scenario, run);
  const std::vector<HeldUp> held = held_up(scenario, run, kin, also, stopped);
  for (const HeldUp& one : held) std::erase(also, one.rank);
  const Ranks silent = awaited_for_messages(scenario, run, also);
  for (const std::int32_t rank : silent) std::erase(also, rank);
  finding.culprits = stopped;
  finding.culprits.insert(finding.culprits.end(), also.begin(), also.end());
  std::sort(finding.culprits.begin(), finding.culprits.end());
  const Whereabouts where = whereabouts(scenario, run, awaited.slow.front());
  if (where.place) finding.events.push_back(*where.place);
  const std::vector<model::Wait> waits = nearest_waits(scenario, run, awaited.slow);
  if (const auto call = call_of(scenario, waits.front())) finding.events.push_back(*call);
  finding.expected = "arrival at the call in which the others wait";
  finding.actual = fmt::format("{} {}", ranks_text({awaited.slow.front()}), where.doing);
  finding.text = skew_text(scenario, run, stopped, where, waits);
  if (!beside.empty())
    finding.evidence.push_back(
        fmt::format("{} {} awaited by nobody whose place is recorded, and {} nothing pending, either",
                    ranks_text(beside), beside.size() == 1 ? "is" : "are", beside.size() == 1 ? "has" : "have"));
  say_records(scenario, also, ", and others wait for nobody else", finding);
  Ranks unneeded;
  for (const std::int32_t rank : awaited.unknown)
    if (!is_in(also, rank) && !is_in(silent, rank)) unneeded.push_back(rank);
  say_records(scenario, unneeded, "; the hang is explained without it", finding);
  if (!silent.empty())
    say_records(scenario, silent,
                fmt::format("; others wait for its messages, and it may itself wait for {}: its record would decide",
                            ranks_text(awaited.slow)),
                finding);
  for (const HeldUp& one : held)
    finding.evidence.push_back(
        fmt::format("rank {} may wait for rank {}: in another group of the kind rank {} came to {}", one.rank, one.by,
                    one.like.rank, event_text(scenario, at(scenario, one.like))));
  const std::string form = where.inside ? std::string(name_of(at(scenario, *where.place).op)) : "compute";
  return {{finding}, fmt::format("A({}) B({}@0 waits for A)", form, op_of(scenario, waits.front()))};
}

// A collective in which few wait for many, or for as many, that have nothing pending: a call that these few made in
// addition looks the same as one that all others left out.
struct FewForMany {
  EventRef call;  // the first of the few is in it
  Ranks few, many;
  Ranks unknown;         // members that may have come as well, or not
  bool in_vain = false;  // ranks make no such call there anywhere else in the record
};

std::optional<FewForMany> few_for_many(const Scenario& scenario, const model::Run& run, const Awaited& awaited) {
  const std::vector<model::Wait> waits = nearest_waits(scenario, run, awaited.slow);
  const auto call = call_of(scenario, waits.front());
  if (!call || !model::is_enqueued_somewhere(scenario, at(scenario, *call)) || is_rooted(at(scenario, *call).op) ||
      kind_of(at(scenario, *call).op) != OpKind::collective)
    return std::nullopt;
  FewForMany found{*call, {}, {}, {}, false};
  for (const std::int32_t rank : awaited_by(run, waits.front()))
    (is_in(awaited.unknown, rank) ? found.unknown : found.many).push_back(rank);
  std::vector<EventRef> calls;
  for (const model::Wait& wait : waits)
    if (const auto other = call_of(scenario, wait); other && at(scenario, *other).comm == at(scenario, *call).comm) {
      found.few.push_back(wait.rank);
      calls.push_back(*other);
    }
  if (found.many != awaited.slow || found.few.size() > found.many.size()) return std::nullopt;
  const Precedents::Following following = Precedents(scenario).following(calls);
  if (following.is_usual()) return std::nullopt;
  found.in_vain = following.is_unheard_of();
  if (found.few.size() < found.many.size()) return found;
  // Of as many, neither side is the larger: only a call that is out of place there may be the fault.
  const bool others_wait = run.waits.size() > found.few.size();
  return found.in_vain && !others_wait ? std::optional(std::move(found)) : std::nullopt;
}

// Both readings. Where they are no majority that did not make the call, all are named.
Fault two_readings(const Scenario& scenario, const Awaited& awaited, const FewForMany& found) {
  const auto& [call, few, many, unknown, in_vain] = found;
  const std::string made = event_text(scenario, call);
  const bool are_fewer = few.size() < many.size();
  Finding finding;
  finding.kind = Verdict::skew;
  finding.culprits = few;
  if (!are_fewer) finding.culprits.insert(finding.culprits.end(), many.begin(), many.end());
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.events.push_back(call);
  finding.call = call;
  finding.expected = fmt::format("{}: nothing pending", ranks_text(many));
  finding.actual = fmt::format("{}: {}", ranks_text(few), made);
  finding.text =
      fmt::format("Two readings: {} made a call too many ({}), or {} stopped before it, with nothing pending.",
                  ranks_text(few), made, ranks_text(many));
  if (are_fewer)
    finding.evidence.push_back("the first is named because those who did not make the call are the majority");
  if (in_vain)
    finding.evidence.push_back("nowhere else in the record does such a call follow what came before it; others do");
  say_records(scenario, awaited.unknown, are_fewer ? "; the hang is explained without it" : "", finding);
  finding.evidence.push_back(
      fmt::format("what would decide: where {} {} in the program now (a stack dump), or a longer record{}",
                  ranks_text(many), many.size() == 1 ? "is" : "are",
                  are_fewer || unknown.empty() ? "" : fmt::format(", or that of {}", ranks_text(unknown))));
  // What names the few must stay in a reduced record: it is another failure than that of one who waits for one.
  const std::string_view doubt = are_fewer ? "perhaps one too many" : "one too many or missed by A";
  return Fault{{finding}, fmt::format("A(compute) B({}@0, {}, waits for A)", name_of(at(scenario, call).op), doubt)};
}

// Who is not recorded may wait in a call that another rank left out.
std::optional<Fault> left_out(const Scenario& scenario, const model::Run& run, const Awaited& awaited) {
  const auto found = left_out_before_a_collective(scenario, run, awaited.unknown);
  if (!found) return std::nullopt;
  const Event& came = at(scenario, found->came);
  const std::string call = fmt::format("the {} collective on {}", ordinal_text(found->first),
                                       scenario.comms[static_cast<std::size_t>(found->comm)].name);
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.culprits = {found->rank};
  finding.events.push_back(found->came);
  finding.call = found->came;
  finding.expected = fmt::format("{} before {}", call, event_text(scenario, came));
  finding.actual = fmt::format("rank {} is in {} without it", found->rank, event_text(scenario, came));
  finding.text = fmt::format(
      "Rank {} came to {} without {}, which {} made on their groups of the kind; rank {}, of which "
      "there is no whole record, may wait for it there.",
      found->rank, event_text(scenario, came), call, ranks_text(found->others), found->unknown);
  say_records(scenario, awaited.unknown, "", finding);
  if (found->met_before)
    finding.evidence.push_back("where all of them met before, they had made as many calls on these groups");
  finding.evidence.push_back(fmt::format(
      "what would decide: the record of rank {}; if it has not come to {}, it stopped itself", found->unknown, call));
  return Fault{{finding}, fmt::format("A(leaves out a call) B({}@0 waits for A)", name_of(came.op))};
}

// Ranks of which nobody who is recorded waits, and which those without a record may wait for.
struct Beside {
  Ranks older;    // with records that stop early, and show calls that are not over
  Ranks missing;  // without a record
};

Beside beside_unknown(const Scenario& scenario, const model::Run& run, const Awaited& awaited) {
  Beside beside;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const RankTrace& trace = scenario.ranks[static_cast<std::size_t>(rank)];
    if (run.standing[static_cast<std::size_t>(rank)] != Standing::unknown || is_in(awaited.unknown, rank)) continue;
    if (trace.end.kind == EndKind::missing) beside.missing.push_back(rank);
    if (trace.end.kind == EndKind::cut && !trace.events.empty() && trace.events.back().state != EventState::completed)
      beside.older.push_back(rank);
  }
  return beside;
}

// What is not recorded may be anything: who is named stayed away, or was lost, or only left no word.
Fault no_record(const Scenario& scenario, const model::Run& run, const Awaited& awaited) {
  Ranks all = awaited.unknown;
  all.insert(all.end(), awaited.unplaced.begin(), awaited.unplaced.end());
  std::sort(all.begin(), all.end());
  const std::vector<model::Wait> waits = nearest_waits(scenario, run, all);
  Finding finding;
  finding.kind = Verdict::ambiguous;
  if (!scenario.cut) finding.culprits = awaited.unknown;
  const Beside beside = beside_unknown(scenario, run, awaited);
  if (!scenario.cut) finding.culprits.insert(finding.culprits.end(), beside.older.begin(), beside.older.end());
  std::sort(finding.culprits.begin(), finding.culprits.end());
  finding.expected = fmt::format("a whole record of {}", ranks_text(all));
  finding.actual = awaited.unknown.empty() ? "without its beginning" : "cut or missing";
  if (const auto call = call_of(scenario, waits.front())) finding.events.push_back(*call);
  finding.text = fmt::format("The evidence names who did not come, and not why: {} for {}, whose record is {}.",
                             waiters_text(scenario, waits), ranks_text(all), finding.actual);
  if (finding.culprits.empty())
    finding.text = fmt::format("The evidence does not decide: {} for {}, whose record is {}.",
                               waiters_text(scenario, waits), ranks_text(all), finding.actual);
  say_records(scenario, awaited.unknown, "", finding);
  for (const Ranks* some : {&beside.older, &beside.missing})
    say_records(scenario, *some,
                fmt::format("; {} may wait for {}", ranks_text(all), some->size() == 1 ? "it" : "them"), finding);
  finding.evidence.push_back(awaited.unplaced.empty() ? fmt::format("the record of {} would settle it", ranks_text(all))
                                                      : "a larger ring buffer would settle it");
  if (finding.culprits.empty()) return {{finding}, "record missing"};
  return {{finding}, fmt::format("A(no record) B({}@0 waits for A)", op_of(scenario, waits.front()))};
}

}  // namespace

bool in_a_call(const Scenario& scenario, const model::Run& run, std::int32_t rank) {
  return std::all_of(run.lanes.begin(), run.lanes.end(), [&](const model::Lane& lane) {
    return lane.rank != rank || lane.standing != Standing::running || model::ends_in_a_call(scenario, lane);
  });
}

std::optional<Fault> find_idle(const Scenario& scenario, const model::Run& run) {
  const Ranks idle = idle_beside(scenario, run, {}), lost = lost_places(scenario, run);
  if (idle.empty() || lost.empty()) return std::nullopt;
  const Whereabouts where = whereabouts(scenario, run, idle.front());
  Finding finding;
  finding.kind = Verdict::ambiguous;
  finding.culprits = idle;
  if (where.place) finding.events.push_back(*where.place);
  finding.expected = "calls that the others wait for";
  finding.actual = fmt::format("{} {}", ranks_text({idle.front()}), where.doing);
  finding.text = capitalized(
      fmt::format("{} stopped issuing calls and {} nothing pending; {} {}, and the rings lost where.", ranks_text(idle),
                  idle.size() == 1 ? "has" : "have", ranks_text(lost), lost.size() == 1 ? "waits" : "wait"));
  finding.evidence.push_back(fmt::format("what would decide: a larger ring buffer on {}", ranks_text(lost)));
  return Fault{{finding}, "A(compute) B(waits, and the ring lost where)"};
}

std::optional<Fault> find_absent(const Scenario& scenario, const model::Run& run) {
  const Awaited awaited = classify(scenario, run);
  if (!awaited.slow.empty()) {
    if (const auto found = few_for_many(scenario, run, awaited)) return two_readings(scenario, awaited, *found);
    return skew(scenario, run, awaited);
  }
  if (auto fault = find_idle(scenario, run)) return fault;
  if (!awaited.unknown.empty())
    if (auto fault = left_out(scenario, run, awaited)) return fault;
  if (!awaited.unknown.empty() || !awaited.unplaced.empty()) return no_record(scenario, run, awaited);
  return std::nullopt;
}

}  // namespace petri::diagnosis

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/diagnose/lifetimes.hpp"
#include "harness/trace/counted.hpp"

namespace petri::diagnosis {
namespace {

Finding finding_of(const Scenario& scenario, const WrongUse& use) {
  const Event& event = at(scenario, use.call);
  Finding finding;
  finding.kind = Verdict::misuse;
  finding.events = {use.call};
  std::string why = fmt::format("{} {}", use.object, use.rule->wrong);
  if (use.earlier) {
    finding.events.push_back(*use.earlier);
    why += fmt::format(": {} ({})", event_text(scenario, *use.earlier), place_text(at(scenario, *use.earlier)));
  }
  finding.expected = use.rule->right;
  finding.actual = fmt::format("rank {}: {}, and {}", use.call.rank, event_text(scenario, event), why);
  finding.text =
      fmt::format("Rank {} calls {} ({}), but {}.", use.call.rank, event_text(scenario, event), place_text(event), why);
  if (!event.extras.error().empty())
    finding.evidence.push_back(fmt::format("the library reports \"{}\" there", event.extras.error()));
  return finding;
}

std::string form_of(const Scenario& scenario, const WrongUse& use) {
  return fmt::format("{}@0 {} {}", name_of(at(scenario, use.call).op), noun_of(use.kind), use.rule->wrong);
}

// What was begun, in the words of the call that would end it.
std::string neglect_of(const Scenario& scenario, const LeftOpen& open) {
  const std::string begun =
      fmt::format("{} ({})", event_text(scenario, open.begun), place_text(at(scenario, open.begun)));
  switch (open.kind) {
    // "A matched probe … the message handle must be used in a matched receive" (MPI 4.1, section 3.8.2): nobody else
    // can receive the message any more.
    case kMessage: return fmt::format("receiving the message that {} took", begun);
    case kSplit: return fmt::format("ending the split collective that {} began", begun);
    default: break;
  }
  std::string text = fmt::format("ending the group that {} opened", begun);
  if (open.inside.empty()) return text;
  const EventRef first{open.begun.rank, open.inside.front()};
  text += fmt::format(": {} ({})", event_text(scenario, first), place_text(at(scenario, first)));
  return open.inside.size() == 1
             ? text + " is never launched"
             : text + fmt::format(" and {} are never launched", counted(open.inside.size() - 1, "more call"));
}

Finding finding_of(const Scenario& scenario, const LeftOpen& open) {
  Finding finding;
  finding.kind = Verdict::misuse;
  finding.events = {open.begun};
  for (const std::uint32_t call : open.inside) finding.events.push_back({open.begun.rank, call});
  finding.expected = open.kind == kMessage ? "a matched receive of the message"
                     : open.kind == kSplit ? "its end"
                                           : "group_end";
  finding.actual = "the rank's end";
  finding.text = fmt::format("Rank {} ends without {}.", open.begun.rank, neglect_of(scenario, open));
  return finding;
}

// Ranks of one program make one mistake alike: a fault holds all that differ in nothing but rank and place.
void add(std::vector<Fault>& faults, std::string form, Finding finding, bool no_object) {
  const EventRef call = finding.events.front();
  const auto same = std::find_if(faults.begin(), faults.end(), [&](const Fault& fault) { return fault.form == form; });
  if (same == faults.end()) {
    finding.culprits = {call.rank};
    faults.push_back({{std::move(finding)}, std::move(form), false, {call}, no_object});
    return;
  }
  Finding& first = same->findings.front();
  if (first.culprits.back() != call.rank) first.culprits.push_back(call.rank);
  first.events.push_back(call);
  same->misused.push_back(call);
}

bool opens_groups(const Scenario& scenario) {
  return std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(),
                       [](const Event& event) { return event.op == Op::group_start; });
  });
}

}  // namespace

std::vector<Fault> find_wrong_uses(const Scenario& scenario, const model::Run& run) {
  std::vector<Fault> faults;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const Lifetimes lives = lifetimes_of(scenario, run, rank);
    for (const WrongUse& use : lives.wrong)
      add(faults, form_of(scenario, use), finding_of(scenario, use), names_nothing(*use.rule));
    for (const LeftOpen& open : lives.open)
      if (open.ended)
        add(faults,
            fmt::format("{}@0 never {}", name_of(at(scenario, open.begun).op),
                        open.kind == kMessage ? "received" : "ended"),
            finding_of(scenario, open), false);
  }
  for (Fault& fault : faults)
    if (Finding& first = fault.findings.front(); first.culprits.size() > 1)
      first.evidence.push_back(fmt::format("the same on {}", ranks_text(first.culprits)));
  return faults;
}

std::vector<Decision> unlaunched_groups(const Scenario& scenario, const model::Run& run) {
  std::vector<Decision> groups;
  if (!opens_groups(scenario)) return groups;
  std::map<std::pair<std::string, std::int32_t>, std::vector<std::int32_t>> ranks;  // by text of the first
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    for (const LeftOpen& open : lifetimes_of(scenario, run, rank).open) {
      if (open.kind != kGroup || open.inside.empty()) continue;
      const Event& call = at(scenario, {rank, open.inside.front()});
      auto& alike = ranks[{event_text(scenario, at(scenario, open.begun)), call.comm}];
      if (alike.empty()) groups.push_back({neglect_of(scenario, open), {open.begun, {rank, open.inside.front()}}});
      alike.push_back(rank);
    }
  for (Decision& group : groups) {
    const Event& call = at(scenario, group.events.back());
    const auto& alike = ranks.at({event_text(scenario, at(scenario, group.events.front())), call.comm});
    group.text = fmt::format("{} {} on without {}", ranks_text(alike), alike.size() == 1 ? "goes" : "go", group.text);
  }
  return groups;
}

// "Before an MPI process invokes MPI_FINALIZE, the process must perform all MPI calls needed to complete its
// involvement in MPI communications" (MPI 4.1, section 11.2.2).
std::optional<Fault> find_misuse(const Scenario& scenario, const model::Run& run) {
  if (run.never_completed.empty()) return std::nullopt;
  const Event& first = at(scenario, run.never_completed.front());
  Finding finding;
  finding.kind = Verdict::misuse;
  finding.events = run.never_completed;
  finding.call = start_of(scenario, run, run.never_completed.front());
  for (const EventRef ref : run.never_completed) finding.culprits.push_back(ref.rank);
  finding.culprits.erase(std::unique(finding.culprits.begin(), finding.culprits.end()), finding.culprits.end());
  finding.expected = fmt::format("a wait or a successful test for request {}", first.request);
  finding.actual = "finalize";
  finding.text = fmt::format("Rank {} reaches finalize without completing {} ({}).", run.never_completed.front().rank,
                             event_text(scenario, first), place_text(first));
  if (run.never_completed.size() > 1)
    finding.evidence.push_back(
        fmt::format("{} requests in all, on {}", run.never_completed.size(), ranks_text(finding.culprits)));
  return Fault{{finding}, fmt::format("{}@0 never completed", name_of(first.op))};
}

}  // namespace petri::diagnosis

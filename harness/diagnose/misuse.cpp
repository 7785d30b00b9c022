#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"
#include "harness/diagnose/in_progress.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

// "A matched probe … the message handle must be used in a matched receive" (MPI 4.1, section 3.8.2): nobody else can
// receive the message any more.
std::optional<Fault> find_forgotten_message(const Scenario& scenario, const model::Run& run) {
  Finding finding;
  finding.kind = Verdict::misuse;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    if (run.standing[static_cast<std::size_t>(rank)] != model::Standing::finished) continue;
    std::map<std::int64_t, EventRef> probed;
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 0; index < events.size(); ++index) {
      const auto message = events[index].extras->message;
      if (!message) continue;
      if (kind_of(events[index].op) == OpKind::recv)
        probed.erase(*message);
      else if (model::takes_message(events[index]))
        probed.emplace(*message, EventRef{rank, index});
    }
    if (!probed.empty()) finding.culprits.push_back(rank);
    for (const auto& [message, ref] : probed) finding.events.push_back(ref);
  }
  if (finding.events.empty()) return std::nullopt;
  const EventRef first = finding.events.front();
  finding.expected = "a matched receive of the message";
  finding.actual = "finalize";
  finding.text = fmt::format("Rank {} reaches finalize without receiving the message that {} took ({}).", first.rank,
                             event_text(scenario, first), place_text(at(scenario, first)));
  return Fault{{finding}, fmt::format("{}@0 never received", name_of(at(scenario, first).op))};
}

}  // namespace

// "Before an MPI process invokes MPI_FINALIZE, the process must perform all MPI calls needed to complete its
// involvement in MPI communications" (MPI 4.1, section 11.2.2).
std::optional<Fault> find_misuse(const Scenario& scenario, const model::Run& run) {
  if (run.never_completed.empty()) return find_forgotten_message(scenario, run);
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

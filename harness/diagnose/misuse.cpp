#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {

// "Before an MPI process invokes MPI_FINALIZE, the process must perform all MPI calls needed to complete its
// involvement in MPI communications" (MPI 4.1, section 11.2.2).
std::optional<Fault> find_misuse(const Scenario& scenario, const model::Run& run) {
  if (run.never_completed.empty()) return std::nullopt;
  const Event& first = at(scenario, run.never_completed.front());
  Finding finding;
  finding.kind = Verdict::misuse;
  finding.events = run.never_completed;
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

#include <fmt/format.h>

#include <algorithm>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {
namespace {

// Was MPI initialized for calls of one thread? The level that was granted, in words; empty where it allows others.
std::string one_thread_level(const Scenario& scenario) {
  for (const auto& [key, value] : scenario.header.environment) {
    if (key != "mpi_threads") continue;
    if (value == "single") return "MPI_THREAD_SINGLE";
    if (value == "funneled") return "MPI_THREAD_FUNNELED";
  }
  return "";
}

}  // namespace

// "The application must ensure that only the main thread makes MPI calls" (MPI 4.1, section 11.6.2).
std::optional<Fault> find_foreign_thread(const Scenario& scenario) {
  const std::string level = one_thread_level(scenario);
  if (level.empty()) return std::nullopt;
  Finding finding;
  finding.kind = Verdict::misuse;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    const auto foreign = std::find_if(events.begin(), events.end(), [](const Event& event) {
      return event.extras.thread().value_or(0) > 0 && event.op != Op::exit;
    });
    if (foreign == events.end()) continue;
    finding.culprits.push_back(rank);
    finding.events.push_back({rank, static_cast<std::uint32_t>(foreign - events.begin())});
  }
  if (finding.culprits.empty()) return std::nullopt;
  const EventRef first = finding.events.front();
  finding.expected = fmt::format("calls of the thread that initialized MPI only ({})", level);
  finding.actual = fmt::format("rank {}: {} on another thread", first.rank, event_text(scenario, at(scenario, first)));
  finding.text =
      fmt::format("Rank {} calls MPI on a thread that did not initialize it: {} ({}). {} was granted.", first.rank,
                  event_text(scenario, at(scenario, first)), place_text(at(scenario, first)), level);
  if (finding.culprits.size() > 1)
    finding.evidence.push_back(fmt::format("the same for {}", ranks_text(finding.culprits)));
  return Fault{{finding}, "call on a thread that did not initialize"};
}

}  // namespace petri::diagnosis

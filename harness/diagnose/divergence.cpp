#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/diagnose/describe.hpp"
#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {
namespace {

// Collectives whose result is the same on every member by definition (MPI 4.1, sections 6.4, 6.7 and 6.9.6).
bool same_result_everywhere(Op op) {
  const std::string_view family = info(op).family;
  return family == "allreduce" || family == "allgather" || family == "allgatherv" || family == "bcast";
}

struct Results {
  std::string value;
  std::vector<EventRef> events;
};

std::vector<Results> results_of(const Scenario& scenario, const model::Run& run, const model::Gathering& gathering) {
  std::vector<Results> results;
  const auto& members = run.gatherings.members(gathering);
  for (std::size_t member = 0; member < members.size(); ++member) {
    if (gathering.arrivals[member] >= model::kBefore) continue;
    const EventRef ref{members[member], gathering.arrivals[member]};
    const Event& event = at(scenario, ref);
    if (!same_result_everywhere(event.op) || !event.extras.out() || event.extras.out()->digest.empty()) continue;
    const std::string& value = event.extras.out()->digest;
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const Results& one) { return one.value == value; });
    if (found == results.end())
      results.push_back({value, {ref}});
    else
      found->events.push_back(ref);
  }
  std::stable_sort(results.begin(), results.end(),
                   [](const Results& a, const Results& b) { return a.events.size() > b.events.size(); });
  return results;
}

std::vector<std::int32_t> ranks_of(const std::vector<EventRef>& events) {
  std::vector<std::int32_t> ranks;
  for (const EventRef ref : events) ranks.push_back(ref.rank);
  return ranks;
}

}  // namespace

std::optional<Fault> find_divergence(const Scenario& scenario, const model::Run& run) {
  const model::Gathering* first = nullptr;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    const bool earlier = first == nullptr || gathering.position < first->position;
    if (earlier && !gathering.conflicted && results_of(scenario, run, gathering).size() > 1) first = &gathering;
  }
  if (first == nullptr) return std::nullopt;
  const auto results = results_of(scenario, run, *first);
  Finding finding;
  finding.kind = Verdict::divergence;
  for (std::size_t i = 1; i < results.size(); ++i)
    for (const EventRef ref : results[i].events) {
      finding.culprits.push_back(ref.rank);
      finding.events.push_back(ref);
    }
  std::sort(finding.culprits.begin(), finding.culprits.end());
  const Event& event = at(scenario, results.front().events.front());
  finding.events.push_back(results.front().events.front());
  finding.expected = fmt::format("{}: result {}", ranks_text(ranks_of(results[0].events)), results[0].value);
  finding.actual = fmt::format("{}: result {}", ranks_text(ranks_of(results[1].events)), results[1].value);
  finding.text = fmt::format("The result of {} ({}) is not the same on all ranks: {}; {}.", event_text(scenario, event),
                             place_text(event), finding.actual, finding.expected);
  if (results[0].events.size() == results[1].events.size()) {
    for (const EventRef ref : results[0].events) finding.culprits.push_back(ref.rank);
    std::sort(finding.culprits.begin(), finding.culprits.end());
    finding.evidence.push_back("neither result is in the majority");
  } else {
    finding.evidence.push_back(
        "the culprits are named because most ranks have the other result; digests do not say which one is right");
  }
  return Fault{{finding}, fmt::format("{}@0 results differ", name_of(event.op))};
}

}  // namespace petri::diagnosis

#include "harness/diagnose/went_past.hpp"

#include <vector>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

bool is_over(const Scenario& scenario, EventRef ref, bool also_of_hosts) {
  const Event& event = at(scenario, ref);
  return event.state == EventState::completed && (also_of_hosts || model::is_enqueued_somewhere(scenario, event));
}

std::vector<EventRef> calls_gone_past(const Scenario& scenario, const model::Run& run, bool also_of_hosts) {
  std::vector<EventRef> calls;
  for (const model::Gathering& gathering : run.gatherings.all()) {
    if (!gathering.conflicted || gathering.start_of != model::kNoGathering) continue;
    const auto& members = run.gatherings.members(gathering);
    for (std::size_t member = 0; member < members.size(); ++member) {
      const EventRef ref{members[member], gathering.arrivals[member]};
      if (ref.index < model::kBefore && is_over(scenario, ref, also_of_hosts)) calls.push_back(ref);
    }
  }
  return calls;
}

}  // namespace

std::optional<Scenario> halted_where_operations_differ(const Scenario& scenario, const model::Run& run,
                                                       bool also_of_hosts) {
  const std::vector<EventRef> calls = calls_gone_past(scenario, run, also_of_hosts);
  if (calls.empty()) return std::nullopt;
  Scenario halted = scenario;
  for (const EventRef ref : calls)
    halted.ranks[static_cast<std::size_t>(ref.rank)].events[ref.index].state = EventState::started;
  return halted;
}

}  // namespace petri::diagnosis

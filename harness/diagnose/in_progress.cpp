#include "harness/diagnose/in_progress.hpp"

#include <algorithm>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {

std::vector<EventRef> calls_in_progress(const Scenario& scenario, EventRef place) {
  std::vector<EventRef> calls{place};
  const OpKind kind = kind_of(at(scenario, place).op);
  if (kind != OpKind::wait && kind != OpKind::test) return calls;
  const model::Requests all = model::requests_of(at(scenario, place));
  std::vector<std::uint32_t> requests(all.begin(), all.end());
  for (std::uint32_t index = place.index; index-- > 0 && !requests.empty();) {
    const Event& event = at(scenario, {place.rank, index});
    const OpKind posts = kind_of(event.op);
    if (posts == OpKind::wait || posts == OpKind::test || posts == OpKind::start) continue;
    if (std::erase(requests, event.request) != 0) calls.push_back({place.rank, index});
  }
  return calls;
}

bool reached(const Scenario& scenario, const model::Run& run, EventRef ref) {
  const Event& event = at(scenario, ref);
  const std::int32_t thread = event.extras.empty() ? 0 : event.extras.thread().value_or(0);
  auto lane = run.lanes.begin() + ref.rank;  // of the main thread; those of others stand behind
  if (thread != 0)
    lane = std::find_if(run.lanes.begin(), run.lanes.end(), [&](const model::Lane& one) {
      return one.rank == ref.rank && one.thread == thread && !one.is_stream();
    });
  return lane == run.lanes.end() || ref.index <= lane->index || event.state == EventState::completed;
}

std::optional<EventRef> start_of(const Scenario& scenario, const model::Run& run, EventRef made) {
  const Event& init = at(scenario, made);
  if (form_of(init.op) != OpForm::persistent) return std::nullopt;
  const auto& events = scenario.ranks[static_cast<std::size_t>(made.rank)].events;
  const std::size_t end = std::min<std::size_t>(run.index[static_cast<std::size_t>(made.rank)] + 1, events.size());
  for (auto index = static_cast<std::uint32_t>(end); index-- > made.index;) {
    if (kind_of(events[index].op) != OpKind::start) continue;
    const model::Requests started = model::requests_of(events[index]);
    if (std::find(started.begin(), started.end(), init.request) != started.end()) return EventRef{made.rank, index};
  }
  return std::nullopt;
}

}  // namespace petri::diagnosis

#include "harness/model/lanes.hpp"

#include <map>
#include <set>
#include <utility>

#include "harness/model/op_rules.hpp"

namespace petri::model {
namespace {

std::int32_t thread_of(const Event& event) {
  return event.extras.empty() ? 0 : event.extras.thread().value_or(0);
}

}  // namespace

bool ends_in_a_call(const Scenario& scenario, const Lane& lane) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(lane.rank)].events;
  if (lane.is_stream() || (lane.whole ? events.empty() : lane.events.empty())) return false;
  const Event& last = lane.whole ? events.back() : events[lane.events.back()];
  if (last.state == EventState::scheduled && is_enqueued_somewhere(scenario, last)) return true;
  return last.state == EventState::started && kind_of(last.op) != OpKind::host;
}

std::vector<Lane> lanes_of(const Scenario& scenario) {
  std::vector<Lane> lanes(scenario.ranks.size());
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    std::map<std::int32_t, std::size_t> threads{{0, rank}};
    std::set<std::pair<std::int32_t, std::string>> streams;
    for (const Event& event : scenario.ranks[rank].events) {
      if (event.extras.empty()) continue;  // as most are: of the main thread, and performed at once
      threads.emplace(thread_of(event), 0);
      if (is_enqueued(event)) streams.emplace(event.extras.device().value_or(0), event.extras.stream());
    }
    const auto number = static_cast<std::int32_t>(rank);
    lanes[rank].rank = number;
    lanes[rank].whole = threads.size() == 1;
    for (auto& [thread, lane] : threads) {
      if (thread == 0) continue;
      lane = lanes.size();
      lanes.emplace_back();
      lanes.back().rank = number;
      lanes.back().thread = thread;
    }
    for (const auto& [device, stream] : streams) {
      lanes.emplace_back();
      lanes.back().rank = number;
      lanes.back().device = device;
      lanes.back().stream = stream;
    }
    if (lanes[rank].whole) continue;
    const auto& events = scenario.ranks[rank].events;
    for (std::uint32_t index = 0; index < events.size(); ++index)
      lanes[threads.at(thread_of(events[index]))].events.push_back(index);
  }
  return lanes;
}

}  // namespace petri::model

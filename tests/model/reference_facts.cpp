// What is known before the first step: who performs which event in which order.
#include <utility>

#include "tests/model/reference_state.hpp"

namespace petri::test::reference {

Facts::Facts(const Scenario& all, const Assumed& taken) : scenario(all), assumed(taken) {
  for (Rank rank = 0; rank < scenario.world(); ++rank) add_threads(rank);
  for (Rank rank = 0; rank < scenario.world(); ++rank) add_streams(rank);
}

std::int32_t Facts::number_of(const std::string& name) const {
  return names_.try_emplace(name, static_cast<std::int32_t>(names_.size())).first->second;
}

std::vector<Rank> Facts::members(std::int32_t comm) const {
  const Communicator& one = scenario.comms[static_cast<std::size_t>(comm)];
  std::vector<Rank> all = one.ranks;
  all.insert(all.end(), one.remote.begin(), one.remote.end());
  return all;
}

Rank Facts::peer(std::int32_t comm, Rank caller, std::int32_t group_rank) const {
  const auto& group = scenario.comms[static_cast<std::size_t>(comm)].peers_of(caller);
  const bool known = group_rank >= 0 && static_cast<std::size_t>(group_rank) < group.size();
  return known ? group[static_cast<std::size_t>(group_rank)] : -1;
}

std::int32_t Facts::group_rank(std::int32_t comm, Rank rank) const {
  const Communicator& one = scenario.comms[static_cast<std::size_t>(comm)];
  for (const auto* group : {&one.ranks, &one.remote}) {
    const auto found = std::find(group->begin(), group->end(), rank);
    if (found != group->end()) return static_cast<std::int32_t>(found - group->begin());
  }
  return -1;
}

bool Facts::is_enqueued(const Event& event) const {
  const bool host_waits = event.op == Op::stream_sync || event.op == Op::event_sync || event.op == Op::device_sync;
  return !event.extras.stream().empty() && !host_waits;
}

LaneFacts& Facts::lane_of(LaneFacts wanted) {
  for (LaneFacts& lane : lanes)
    if (lane.rank == wanted.rank && lane.is_stream == wanted.is_stream && lane.device == wanted.device &&
        lane.thread == wanted.thread && lane.stream == wanted.stream)
      return lane;
  lanes.push_back(std::move(wanted));
  return lanes.back();
}

// Threads perform their events in order. Calls between group_start and group_end that name no stream are one call.
void Facts::add_threads(Rank rank) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  bool grouped = false;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    auto& units = lane_of({rank, false, 0, events[i].extras.thread().value_or(0), "", {}}).units;
    if (!grouped || events[i].op == Op::group_end) units.push_back({});
    units.back().events.push_back(i);
    if (events[i].op == Op::group_start) grouped = true;
    if (events[i].op == Op::group_end) grouped = false;
  }
}

// A stream performs what the host enqueued on it in the order of the enqueuing; what a group has for one communicator
// is one launch, which the host issues at the group's end.
void Facts::add_streams(Rank rank) {
  const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
  std::uint32_t group = 0;
  for (std::uint32_t i = 0; i < events.size(); ++i) {
    if (events[i].op == Op::group_start)
      for (group = i; group < events.size() && events[group].op != Op::group_end;) ++group;
    if (!is_enqueued(events[i])) continue;
    auto& units = lane_of({rank, true, events[i].extras.device().value_or(0), 0, events[i].extras.stream(), {}}).units;
    const std::uint32_t issued = i < group ? group : i;
    const auto launch = std::find_if(units.begin(), units.end(), [&](const auto& unit) {
      return unit.issued == issued && i < group && events[unit.events.front()].comm == events[i].comm;
    });
    if (launch == units.end())
      units.push_back({{i}, issued});
    else
      launch->events.push_back(i);
  }
}

std::pair<std::int32_t, std::uint32_t> Facts::on_stream(EventRef ref) const {
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    if (!lanes[lane].is_stream || lanes[lane].rank != ref.rank) continue;
    for (std::uint32_t unit = 0; unit < lanes[lane].units.size(); ++unit)
      for (const std::uint32_t event : lanes[lane].units[unit].events)
        if (event == ref.index) return {static_cast<std::int32_t>(lane), unit};
  }
  return {-1, 0};
}

}  // namespace petri::test::reference

#include "harness/cli/course_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/model/op_rules.hpp"

namespace petri::cli::course {
namespace {

using StreamKey = std::pair<std::int32_t, std::string>;  // device and name

// One rank's calls, in their order.
class Divider {
 public:
  Divider(const Scenario& scenario, std::int32_t rank, Lines& lines)
      : events_(scenario.ranks[static_cast<std::size_t>(rank)].events), rank_(rank), lines_(lines) {}

  void divide() {
    make_lines();
    for (std::uint32_t index = 0; index < events_.size(); ++index) {
      const Event& event = events_[index];
      const std::int32_t thread = event.extras.empty() ? 0 : event.extras.thread().value_or(0);
      lines_.all[threads_.at(thread)].events.push_back(index);
      if (event.op == Op::group_start) ++depth_[thread];
      if (event.op == Op::group_end && depth_[thread] > 0 && --depth_[thread] == 0) end_group(thread, index);
      if (event.extras.empty()) continue;
      if (model::is_enqueued(event)) enqueue(thread, index);
      if (kind_of(event.op) == OpKind::device) await(index);
    }
  }

 private:
  void make_lines() {
    for (const Event& event : events_) {
      threads_.emplace(event.extras.empty() ? 0 : event.extras.thread().value_or(0), 0);
      if (!event.extras.empty() && model::is_enqueued(event)) streams_.emplace(key_of(event), 0);
    }
    if (threads_.empty()) threads_.emplace(0, 0);
    for (auto& [thread, line] : threads_) {
      const bool alone = threads_.size() == 1;
      line = add(alone         ? (streams_.empty() ? "" : "host")
                 : thread == 0 ? "main thread"
                               : fmt::format("thread {}", thread),
                 false);
    }
    const bool one_device = streams_.empty() || streams_.begin()->first.first == streams_.rbegin()->first.first;
    for (auto& [key, line] : streams_)
      line =
          add(one_device ? "stream " + key.second : fmt::format("device {}, stream {}", key.first, key.second), true);
  }
  std::uint32_t add(std::string name, bool stream) {
    Line line;
    line.rank = rank_;
    line.name = std::move(name);
    line.stream = stream;
    line.stands = static_cast<std::uint32_t>(events_.size());
    lines_.all.push_back(std::move(line));
    return static_cast<std::uint32_t>(lines_.all.size() - 1);
  }
  static StreamKey key_of(const Event& event) { return {event.extras.device().value_or(0), event.extras.stream()}; }

  void enqueue(std::int32_t thread, std::uint32_t index) {
    const Event& event = events_[index];
    const std::uint32_t line = streams_.at(key_of(event));
    if (depth_[thread] > 0 && model::communicates(event))
      held_[thread].emplace_back(line, index);
    else
      launch(line, {index}, index);
  }

  // Operations on one communicator are one launch; each communicator has its own, in the order of their first calls.
  void end_group(std::int32_t thread, std::uint32_t index) {
    std::vector<std::pair<std::pair<std::uint32_t, std::int32_t>, std::vector<std::uint32_t>>> kernels;
    for (const auto& [line, event] : held_[thread]) {
      const std::pair<std::uint32_t, std::int32_t> where{line, events_[event].comm};
      const auto same =
          std::find_if(kernels.begin(), kernels.end(), [&](const auto& one) { return one.first == where; });
      if (same == kernels.end())
        kernels.push_back({where, {event}});
      else
        same->second.push_back(event);
    }
    held_[thread].clear();
    for (const auto& [where, events] : kernels) launch(where.first, events, index);
  }

  void launch(std::uint32_t number, const std::vector<std::uint32_t>& events, std::uint32_t launcher) {
    Line& line = lines_.all[number];
    line.launches.push_back(
        {static_cast<std::uint32_t>(line.events.size()), static_cast<std::uint32_t>(events.size()), launcher});
    line.events.insert(line.events.end(), events.begin(), events.end());
    const Event& event = events_[events.front()];
    if (event.op == Op::event_record) recorded_[event.extras.event()] = here(number);
  }
  Ticket here(std::uint32_t line) const { return {line, static_cast<std::uint32_t>(lines_.all[line].launches.size())}; }

  void await(std::uint32_t index) {
    const Event& event = events_[index];
    const auto add_ticket = [&](Ticket ticket) { lines_.awaited.push_back({{rank_, index}, ticket}); };
    if (event.op == Op::stream_wait || event.op == Op::event_sync) {
      if (const auto found = recorded_.find(event.extras.event()); found != recorded_.end()) add_ticket(found->second);
      return;
    }
    for (const auto& [key, line] : streams_) {
      const bool this_device = !event.extras.device() || key.first == *event.extras.device();
      if (event.op == Op::device_sync && this_device) add_ticket(here(line));
      if (event.op == Op::stream_sync && this_device && key.second == event.extras.stream()) add_ticket(here(line));
    }
  }

  const std::vector<Event>& events_;
  std::int32_t rank_;
  Lines& lines_;
  std::map<std::int32_t, std::uint32_t> threads_;
  std::map<StreamKey, std::uint32_t> streams_;
  std::map<std::int32_t, int> depth_;
  std::map<std::int32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> held_;
  std::map<std::string, Ticket> recorded_;
};

// Where the model's lanes stand at its end. Its lanes are those of the same threads and streams, by rank and then in
// the same order, but for main threads that make no call.
void add_standing(const Scenario& scenario, const model::Run& run, Lines& lines) {
  std::map<std::pair<std::int32_t, std::string>, const model::Lane*> streams;
  std::map<std::pair<std::int32_t, std::uint32_t>, const model::Lane*> threads;  // by the first event
  const auto by = [](const Event& event) { return event.extras.empty() ? 0 : event.extras.thread().value_or(0); };
  for (const model::Lane& lane : run.lanes) {
    if (lane.is_stream())
      streams[{lane.rank, fmt::format("{}/{}", lane.device, lane.stream)}] = &lane;
    else
      threads[{lane.rank, static_cast<std::uint32_t>(lane.thread)}] = &lane;
  }
  for (Line& line : lines.all) {
    if (line.events.empty()) continue;
    const auto& events = scenario.ranks[static_cast<std::size_t>(line.rank)].events;
    const Event& first = events[line.events.front()];
    if (line.stream) {
      const auto found =
          streams.find({line.rank, fmt::format("{}/{}", first.extras.device().value_or(0), first.extras.stream())});
      if (found != streams.end()) line.unperformed = found->second->events;
      std::sort(line.unperformed.begin(), line.unperformed.end());
    } else if (const auto found = threads.find({line.rank, static_cast<std::uint32_t>(by(first))});
               found != threads.end() && found->second->standing == model::Standing::blocked) {
      line.stands = found->second->index;
    }
  }
}

}  // namespace

Lines lines_of(const Scenario& scenario, const model::Run& run) {
  Lines lines;
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) Divider(scenario, rank, lines).divide();
  add_standing(scenario, run, lines);
  return lines;
}

}  // namespace petri::cli::course

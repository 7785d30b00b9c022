#include "harness/export/otf2_clock.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

constexpr double kTicksASecond = 1e9;
constexpr double kMostSeconds = 1e9;  // from the first time to the last: what is longer is no clock

// Something that happens at a time, once all that take part have come: a message, a collective.
struct Meeting {
  std::size_t missing = 1;
  std::uint64_t latest = 0;
  std::vector<std::size_t> waiting;  // lanes
};

struct Lane {
  std::size_t rank = 0;
  std::vector<std::uint32_t> events;
  std::size_t next = 0;
  std::uint64_t now = 0;
  bool entered = false;             // the next one has begun
  std::vector<std::size_t> causes;  // meetings that it waits for
};

class Clock {
 public:
  Clock(const Scenario& scenario, const std::vector<std::optional<std::uint32_t>>& blocked)
      : scenario_(scenario), blocked_(blocked), requests_(scenario.ranks.size()) {
    times_.spans.resize(scenario.ranks.size());
    find_times();
    make_lanes();
  }

  CallTimes run() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) ready_.push_back(i);
    for (std::size_t parked = 0;;) {
      while (!ready_.empty()) {
        const std::size_t lane = ready_.front();
        ready_.pop_front();
        advance(lane);
      }
      // What nothing recorded explains happens all the same.
      while (parked < lanes_.size() && lanes_[parked].next == lanes_[parked].events.size()) ++parked;
      if (parked == lanes_.size()) break;
      lanes_[parked].causes.clear();
      ready_.push_back(parked);
    }
    return std::move(times_);
  }

 private:
  void find_times() {
    double first = std::numeric_limits<double>::infinity(), last = -first;
    for (const RankTrace& rank : scenario_.ranks) {
      for (std::size_t i = 0; i < rank.events.size(); ++i) {
        const double time = rank.time_of(i);
        if (!std::isfinite(time)) return;
        first = std::min(first, time);
        last = std::max(last, time);
      }
    }
    if (!(last - first < kMostSeconds)) return;
    times_.recorded = true;
    times_.origin = first;
  }

  void make_lanes() {
    for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
      const auto& events = scenario_.ranks[rank].events;
      times_.spans[rank].resize(events.size());
      std::map<std::int32_t, Lane> threads;
      for (std::size_t i = 0; i < events.size(); ++i)
        threads[events[i].extras.thread().value_or(0)].events.push_back(static_cast<std::uint32_t>(i));
      for (auto& [thread, lane] : threads) {
        lane.rank = rank;
        lanes_.push_back(std::move(lane));
      }
    }
  }

  bool is_last_seen(const Lane& lane, std::uint32_t index) const {
    const bool blocks = lane.rank < blocked_.size() && blocked_[lane.rank] == index;
    const Event& event = scenario_.ranks[lane.rank].events[index];
    return blocks || (event.state == EventState::started && lane.next + 1 == lane.events.size());
  }

  void advance(std::size_t number) {
    Lane& lane = lanes_[number];
    while (lane.next < lane.events.size()) {
      const std::uint32_t index = lane.events[lane.next];
      CallSpan& span = times_.spans[lane.rank][index];
      const Event& event = scenario_.ranks[lane.rank].events[index];
      if (!std::exchange(lane.entered, true)) {
        enter(lane, index, span, event);
        if (is_last_seen(lane, index)) {
          lane.next = lane.events.size();
          return;
        }
      }
      std::uint64_t latest = span.enter;
      for (const std::size_t cause : lane.causes) {
        if (meetings_[cause].missing > 0) {
          meetings_[cause].waiting.push_back(number);
          return;
        }
        latest = std::max(latest, meetings_[cause].latest);
      }
      leave(lane, span, latest);
    }
  }

  std::uint64_t recorded_tick(const Lane& lane, std::uint32_t index) const {
    return static_cast<std::uint64_t>(
        std::llround((scenario_.ranks[lane.rank].time_of(index) - times_.origin) * kTicksASecond));
  }

  void enter(Lane& lane, std::uint32_t index, CallSpan& span, const Event& event) {
    span.reached = true;
    span.enter = times_.recorded ? std::max(lane.now, recorded_tick(lane, index)) : lane.now + 1;
    span.leave = span.enter;
    times_.last = std::max(times_.last, span.enter);
    lane.causes.clear();
    begin(lane, event, span.enter);
  }

  void leave(Lane& lane, CallSpan& span, std::uint64_t latest) {
    span.ended = true;
    span.leave = latest + 1;
    ++lane.next;
    if (times_.recorded && lane.next < lane.events.size())
      span.leave = std::max(span.enter, std::min(span.leave, recorded_tick(lane, lane.events[lane.next])));
    lane.now = span.leave;
    lane.entered = false;
    times_.last = std::max(times_.last, span.leave);
  }

  void arrive(std::size_t meeting, std::uint64_t time) {
    Meeting& met = meetings_[meeting];
    met.latest = std::max(met.latest, time);
    if (met.missing == 0 || --met.missing > 0) return;
    for (const std::size_t lane : met.waiting) ready_.push_back(lane);
    met.waiting.clear();
  }

  std::size_t new_meeting(std::size_t members) {
    meetings_.push_back({members, 0, {}});
    return meetings_.size() - 1;
  }

  // The n-th message of a channel, whoever comes to it first.
  std::size_t message(std::int32_t comm, std::int32_t from, std::int32_t to, std::int32_t tag, bool sends) {
    auto& channel = channels_[{comm, from, to, tag}];
    std::size_t& next = sends ? channel.sent : channel.received;
    if (next == channel.meetings.size()) channel.meetings.push_back(new_meeting(1));
    return channel.meetings[next++];
  }

  std::int32_t global(const Event& event, std::size_t rank, std::int32_t peer) const {
    const Communicator& comm = scenario_.comm_of(event);
    if (!comm.known || peer < 0) return -1;
    const auto& peers = comm.peers_of(static_cast<std::int32_t>(rank));
    return static_cast<std::size_t>(peer) < peers.size() ? peers[static_cast<std::size_t>(peer)] : -1;
  }

  void send(const Lane& lane, const Event& event, std::int32_t peer, std::int32_t tag, std::uint64_t time) {
    const std::int32_t to = global(event, lane.rank, peer);
    if (to >= 0) arrive(message(event.comm, static_cast<std::int32_t>(lane.rank), to, tag, true), time);
  }

  std::size_t receive(const Lane& lane, const Event& event, std::int32_t peer, std::int32_t tag) {
    const std::int32_t from = global(event, lane.rank, peer == kAny ? event.extras.matched() : peer);
    if (from < 0 || tag == kAny) return kNone;
    return message(event.comm, from, static_cast<std::int32_t>(lane.rank), tag, false);
  }

  std::size_t gather(const Lane& lane, const Event& event, std::uint64_t time) {
    const Communicator& comm = scenario_.comm_of(event);
    if (!comm.known || !is_positional(event.op)) return kNone;
    const std::size_t position = positions_[{event.comm, lane.rank}]++;
    auto& row = gatherings_[event.comm];
    while (row.size() <= position) row.push_back(new_meeting(comm.ranks.size() + comm.remote.size()));
    arrive(row[position], time);
    return row[position];
  }

  void await(Lane& lane, std::size_t meeting) {
    if (meeting != kNone) lane.causes.push_back(meeting);
  }

  void await_requests(Lane& lane, const Event& event) {
    if (kind_of(event.op) == OpKind::test && event.flag == 0) return;
    std::vector<std::uint32_t> awaited = event.extras.requests();
    if (event.request != kNoRequest) awaited.push_back(event.request);
    if (event.extras.index() && static_cast<std::size_t>(*event.extras.index()) < awaited.size() &&
        *event.extras.index() >= 0)
      awaited = {awaited[static_cast<std::size_t>(*event.extras.index())]};
    else if (event.op != Op::wait && event.op != Op::waitall && event.op != Op::test && event.op != Op::testall)
      return;
    auto& open = requests_[lane.rank];
    for (const std::uint32_t request : awaited) {
      const auto found = open.find(request);
      if (found == open.end()) continue;
      await(lane, found->second);
      open.erase(found);
    }
  }

  void begin(Lane& lane, const Event& event, std::uint64_t time) {
    std::size_t later = kNone;  // what a request is complete by
    const EventExtras& extras = event.extras;
    const bool blocks = form_of(event.op) == OpForm::blocking;
    switch (kind_of(event.op)) {
      case OpKind::send:
        if (form_of(event.op) != OpForm::persistent) send(lane, event, event.peer, tag_of(event), time);
        break;
      case OpKind::recv:
        if (form_of(event.op) != OpForm::persistent) later = receive(lane, event, event.peer, tag_of(event));
        break;
      case OpKind::sendrecv: {
        const auto either = [](std::int32_t one, std::int32_t other) { return one == kUnset ? other : one; };
        send(lane, event, either(extras.sendpeer(), event.peer), either(extras.sendtag(), tag_of(event)), time);
        later = receive(lane, event, either(extras.recvpeer(), event.peer), either(extras.recvtag(), tag_of(event)));
        break;
      }
      case OpKind::collective:
      case OpKind::comm_create:
      case OpKind::comm_free:
        if (form_of(event.op) != OpForm::persistent) later = gather(lane, event, time);
        break;
      case OpKind::wait:
      case OpKind::test: return await_requests(lane, event);
      default: return;
    }
    if (blocks)
      await(lane, later);
    else if (event.request != kNoRequest && later != kNone)
      requests_[lane.rank][event.request] = later;
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Channel {
    std::vector<std::size_t> meetings;
    std::size_t sent = 0, received = 0;
  };

  const Scenario& scenario_;
  const std::vector<std::optional<std::uint32_t>>& blocked_;
  CallTimes times_;
  std::vector<Lane> lanes_;
  std::deque<std::size_t> ready_;
  std::deque<Meeting> meetings_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int32_t>, Channel> channels_;
  std::map<std::int32_t, std::vector<std::size_t>> gatherings_;
  std::map<std::pair<std::int32_t, std::size_t>, std::size_t> positions_;
  std::vector<std::unordered_map<std::uint32_t, std::size_t>> requests_;
};

}  // namespace

CallTimes call_times(const Scenario& scenario, const std::vector<std::optional<std::uint32_t>>& blocked) {
  return Clock(scenario, blocked).run();
}

}  // namespace petri

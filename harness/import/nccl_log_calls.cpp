#include "harness/import/nccl_log_calls.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace petri {
namespace {

struct Span {
  std::size_t first = 0, last = 0;
};

bool is_message(const Event& event) {
  return kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::recv;
}

// Launches of several calls with messages among them, in order; those that overlap are one group.
std::vector<Span> groups_of(const LogRow& row) {
  struct Launch {
    std::uint32_t number = 0;
    Span calls;
    bool has_message = false;
  };
  std::unordered_map<std::int32_t, Launch> open;  // by life
  std::vector<Span> spans;
  const auto close = [&](const Launch& launch) {
    if (launch.has_message && launch.calls.first < launch.calls.last) spans.push_back(launch.calls);
  };
  for (std::size_t i = 0; i < row.events.size(); ++i) {
    const Event& event = row.events[i];
    if (event.op == Op::comm_init_rank) continue;
    const auto [found, is_new] = open.try_emplace(event.comm);
    Launch& launch = found->second;
    if (is_new || launch.number != row.op_counts[i]) {
      if (!is_new) close(launch);
      launch = {row.op_counts[i], {i, i}, false};
    }
    launch.calls.last = i;
    launch.has_message = launch.has_message || is_message(event);
  }
  for (const auto& [life, launch] : open) close(launch);
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.first < b.first; });
  std::vector<Span> groups;
  for (const Span& span : spans) {
    if (!groups.empty() && span.first <= groups.back().last)
      groups.back().last = std::max(groups.back().last, span.last);
    else
      groups.push_back(span);
  }
  return groups;
}

class Writer {
 public:
  Writer(LogRow row, const LogJob& job, const std::vector<std::int32_t>& comms, RankTrace& trace)
      : row_(std::move(row)), job_(job), comms_(comms), trace_(trace) {}

  std::string write() {
    const std::vector<Span> groups = groups_of(row_);
    trace_.events.reserve(row_.events.size() + groups.size());
    if (!row_.errors.empty()) places_.reserve(row_.events.size());
    std::size_t group = 0;
    for (std::size_t i = 0; i < row_.events.size(); ++i) {
      const bool grouped = group < groups.size() && groups[group].first <= i;
      if (!row_.errors.empty()) places_.push_back(static_cast<std::uint32_t>(trace_.events.size()));
      add(std::move(row_.events[i]), i, grouped);
      if (grouped && groups[group].last == i) wait_for_messages(i), ++group;
    }
    return set_errors();
  }

 private:
  void put(Event event, std::size_t at) {
    event.seq = static_cast<std::uint32_t>(trace_.events.size());
    if (at < row_.times.size()) trace_.set_time(trace_.events.size(), row_.times[at]);
    trace_.events.push_back(std::move(event));
  }

  // Of a group: its messages are begun in any order, and over together.
  void wait_for_messages(std::size_t at) {
    Event event;
    event.op = Op::waitall;
    event.comm = waited_comm_;
    event.state = all_over_ ? EventState::completed : EventState::started;
    event.extras.set_requests(requests_);
    put(std::move(event), at);
    requests_.clear();
    all_over_ = true;
  }

  void add(Event event, std::size_t at, bool grouped) {
    const bool creates = event.op == Op::comm_init_rank;
    const auto number = static_cast<std::size_t>(creates ? event.extras.new_comm() : event.comm);
    const CommLife& life = job_.lives[number];
    const std::int32_t comm = comms_[number];
    if (creates) {
      event.comm = 0;
      event.extras.set_new_comm(comm);
      event.state = life.complete ? EventState::completed : EventState::started;
      return put(std::move(event), at);
    }
    event.comm = comm;
    const bool is_over = life.destroyed && !life.aborted;
    if (is_over) event.state = EventState::completed;
    if (grouped && is_message(event)) {
      event.op = event.op == Op::send ? Op::isend : Op::irecv;
      event.request = next_request_++;
      event.state = EventState::completed;
      requests_.push_back(event.request);
      waited_comm_ = comm;
      all_over_ = all_over_ && is_over;
    }
    put(std::move(event), at);
  }

  // Onto the call that stood last when it came, or, of what came before all calls, the first one.
  std::string set_errors() {
    for (LoggedError& error : row_.errors) {
      if (places_.empty()) return std::move(error.text);
      Event& call = trace_.events[places_[std::clamp<std::size_t>(error.before, 1, places_.size()) - 1]];
      if (!call.extras.error().empty()) continue;
      call.extras.set_error(std::move(error.text));
      if (call.request == kNoRequest) call.state = EventState::started;
    }
    return {};
  }

  LogRow row_;
  const LogJob& job_;
  const std::vector<std::int32_t>& comms_;
  RankTrace& trace_;
  std::vector<std::uint32_t> requests_;  // of the group that is written
  std::uint32_t next_request_ = 0;
  std::int32_t waited_comm_ = 0;
  bool all_over_ = true;
  std::vector<std::uint32_t> places_;  // of the row's calls among the events; empty where no error needs it
};

}  // namespace

std::string write_calls(LogRow row, const LogJob& job, const std::vector<std::int32_t>& comms, RankTrace& trace) {
  return Writer(std::move(row), job, comms, trace).write();
}

}  // namespace petri

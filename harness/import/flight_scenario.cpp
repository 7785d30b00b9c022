#include "harness/import/flight_scenario.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "harness/import/flight_messages.hpp"

namespace petri {
namespace {

std::string backend_of(const Scenario& scenario) {
  std::set<std::string> backends;
  for (std::size_t comm = 1; comm < scenario.comms.size(); ++comm)
    if (!scenario.comms[comm].backend.empty()) backends.insert(scenario.comms[comm].backend);
  return backends.size() == 1 && *backends.begin() == "nccl" ? "nccl" : "";
}

double earliest_time(const std::vector<FlightRecord>& records) {
  double earliest = std::numeric_limits<double>::infinity();
  for (const FlightRecord& record : records)
    for (const double time : record.calls.times)
      if (time < earliest) earliest = time;
  return earliest;
}

class Filling {
 public:
  // `comms` are by group.
  Filling(Scenario& scenario, std::vector<std::int32_t> comms, double start)
      : scenario_(scenario), comms_(std::move(comms)), start_(start) {}

  // `left_out` is by event; empty: nothing is.
  void rank(FlightRecord& record, const FlightStanding& standing, const std::vector<bool>& left_out) {
    RankTrace& trace = scenario_.ranks[static_cast<std::size_t>(record.rank)];
    FlightCalls calls = std::move(record.calls);
    std::map<std::int32_t, std::int32_t> next = standing.joined;  // by group: the position of its next collective
    trace.events.reserve(calls.events.size());
    std::set<std::uint32_t> gone;  // requests of messages that are left out
    for (std::size_t i = 0; i < calls.events.size(); ++i) {
      Event& event = calls.events[i];
      const bool message = calls.positions[i] == kNoPosition;
      if (!left_out.empty() && left_out[i]) {
        gone.insert(event.request);
        continue;
      }
      if (kind_of(event.op) == OpKind::wait && !gone.empty()) keep_requests(event, gone);
      if (standing.place_lost && event.state == EventState::started && kind_of(event.op) == OpKind::wait)
        event.state = EventState::scheduled;  // what was enqueued before it may not be over
      if (!message) {
        std::int32_t& expected = next[event.comm];
        const std::int32_t position = std::max(0, calls.positions[i] - kFirstFlightNumber);
        if (position != expected) event.extras.set_coll_seq(position);
        expected = position + 1;
      }
      event.comm = kind_of(event.op) == OpKind::wait ? 0 : comms_[static_cast<std::size_t>(event.comm)];
      event.seq = static_cast<std::uint32_t>(trace.events.size());
      if (!std::isnan(calls.times[i])) trace.set_time(trace.events.size(), calls.times[i] - start_);
      trace.events.push_back(std::move(event));
    }
    trace.end.kind = standing.stale || record.cut ? EndKind::cut : EndKind::running;
    trace.end.dropped = calls.lost;
    if (!standing.place_lost)
      join(record.rank, standing);
    else
      trace.end.dropped = std::max<std::uint64_t>(trace.end.dropped, 1);
  }

  // How many positions came before a record's first call: of groups of which the rank is a member.
  void join(std::int32_t rank, const FlightStanding& standing) {
    RankEnd& end = scenario_.ranks[static_cast<std::size_t>(rank)].end;
    for (const auto& [group, position] : standing.joined) {
      const std::int32_t comm = comms_[static_cast<std::size_t>(group)];
      if (comm == kNoComm) continue;
      const auto& members = scenario_.comms[static_cast<std::size_t>(comm)].ranks;
      if (members.empty() || std::find(members.begin(), members.end(), rank) != members.end())
        end.joined.emplace_back(comm, position);
    }
  }

 private:
  Scenario& scenario_;
  std::vector<std::int32_t> comms_;
  double start_;
};

}  // namespace

bool is_partial(const Scenario& scenario, const std::vector<FlightRecord>& records,
                const std::vector<FlightStanding>& standings) {
  return records.size() < scenario.ranks.size() ||
         std::any_of(records.begin(), records.end(), [](const auto& record) { return record.calls.lost > 0; }) ||
         std::any_of(standings.begin(), standings.end(), [](const auto& one) { return one.stale; });
}

void fill_scenario(Scenario& scenario, const FlightGroups& groups, const std::vector<bool>& used,
                   const std::vector<FlightStanding>& standings, std::vector<FlightRecord>& records) {
  std::vector<std::vector<bool>> left_out(records.size());
  if (is_partial(scenario, records, standings)) left_out = messages_left_out(records, groups);
  Filling filling(scenario, groups.add_to(scenario, used), earliest_time(records));
  scenario.header.backend = backend_of(scenario);
  for (RankTrace& rank : scenario.ranks) {
    rank.end.stated = true;
    rank.end.kind = EndKind::missing;
  }
  for (std::size_t i = 0; i < records.size(); ++i) filling.rank(records[i], standings[i], left_out[i]);
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank)
    if (scenario.ranks[rank].end.kind == EndKind::missing)
      filling.join(static_cast<std::int32_t>(rank), standings.back());
}

}  // namespace petri

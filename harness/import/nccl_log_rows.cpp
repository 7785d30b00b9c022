#include "harness/import/nccl_log_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace petri {
namespace {

constexpr std::size_t kNear = 4096;  // calls on either side of a torn one that are looked at

void take_whole(LogProcess& process, LogRow& row) {
  row.events = std::move(process.events);
  row.op_counts = std::move(process.op_counts);
  row.times = std::move(process.times);
  row.torn = std::move(process.torn);
  row.errors = std::move(process.errors);
  row.consequences = std::move(process.consequences);
}

// One process with several devices.
class Division {
 public:
  Division(LogProcess& process, const LogRanks& ranks, std::map<std::int32_t, LogRow*> rows)
      : process_(process), ranks_(ranks), rows_(std::move(rows)) {}

  void divide() {
    std::size_t torn = 0, error = 0, consequence = 0;
    for (std::uint32_t at = 0; at <= process_.events.size(); ++at) {
      take_errors(process_.errors, error, at, &LogRow::errors);
      take_errors(process_.consequences, consequence, at, &LogRow::consequences);
      if (at == process_.events.size()) break;
      Event& event = process_.events[at];
      const bool is_torn = torn < process_.torn.size() && process_.torn[torn].at == at;
      LogRow* const row = is_torn ? row_of_device(process_.torn[torn].device) : row_of_life(life_of(event));
      if (is_torn && row != nullptr) {
        row->torn.push_back(process_.torn[torn]);
        row->torn.back().at = static_cast<std::uint32_t>(row->events.size());
      }
      if (is_torn) ++torn;
      if (row == nullptr) continue;
      if (at < process_.times.size()) {
        row->times.resize(row->events.size(), std::numeric_limits<double>::quiet_NaN());
        row->times.push_back(process_.times[at]);
      }
      row->events.push_back(std::move(event));
      row->op_counts.push_back(process_.op_counts[at]);
    }
    process_ = {};
  }

 private:
  static std::int32_t life_of(const Event& event) {
    return event.op == Op::comm_init_rank ? event.extras.new_comm() : event.comm;
  }

  LogRow* row_of_device(std::int32_t device) const {
    const auto found = rows_.find(device);
    return found == rows_.end() ? nullptr : found->second;
  }

  LogRow* row_of_life(std::int32_t life) const {
    const auto actor = static_cast<std::size_t>(ranks_.actor_of_life[static_cast<std::size_t>(life)]);
    return row_of_device(ranks_.actors[actor].device);
  }

  void take_errors(std::vector<LoggedError>& errors, std::size_t& next, std::uint32_t at,
                   std::vector<LoggedError> LogRow::*kept) {
    for (; next < errors.size() && errors[next].before == at; ++next) {
      LogRow* const row = row_of_device(errors[next].device);
      if (row == nullptr) continue;
      errors[next].before = static_cast<std::uint32_t>(row->events.size());
      (row->*kept).push_back(std::move(errors[next]));
    }
  }

  LogProcess& process_;
  const LogRanks& ranks_;
  std::map<std::int32_t, LogRow*> rows_;  // by device
};

// The launches of one communicator next to a torn call.
struct Neighbours {
  std::optional<std::uint32_t> before, after;
};

std::map<std::int32_t, Neighbours> neighbours_of(const LogRow& row, std::size_t at) {
  std::map<std::int32_t, Neighbours> found;
  const std::size_t first = at - std::min(at, kNear), end = std::min(row.events.size(), at + 1 + kNear);
  const auto is_call = [&](std::size_t i) {
    return row.events[i].comm != kNoComm && row.events[i].op != Op::comm_init_rank;
  };
  for (std::size_t i = at; i-- > first;)
    if (is_call(i)) {
      Neighbours& one = found[row.events[i].comm];
      if (!one.before) one.before = row.op_counts[i];
    }
  for (std::size_t i = at + 1; i < end; ++i)
    if (is_call(i)) {
      Neighbours& one = found[row.events[i].comm];
      if (!one.after) one.after = row.op_counts[i];
    }
  return found;
}

std::optional<std::int32_t> comm_of_torn(const LogRow& row, const TornCall& call) {
  if (!call.op || !call.op_count || kind_of(*call.op) != OpKind::collective) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(*call.op_count);
  std::vector<std::int32_t> gaps, fits;
  for (const auto& [comm, near] : neighbours_of(row, call.at)) {
    const bool follows = near.before ? *near.before + 1 == number : number == 0;
    const bool precedes = !near.after || number + 1 == *near.after;
    const bool in_launch = (near.before && *near.before == number) || (near.after && *near.after == number);
    if (follows && near.after && precedes) gaps.push_back(comm);
    if ((follows && precedes) || in_launch) fits.push_back(comm);
  }
  if (gaps.size() == 1) return gaps.front();
  return fits.size() == 1 ? std::optional(fits.front()) : std::nullopt;
}

}  // namespace

std::vector<LogRow> rows_of(LogJob& job, const LogRanks& ranks) {
  std::vector<LogRow> rows(ranks.actors.size());
  std::vector<std::vector<std::size_t>> actors(job.processes.size());
  for (std::size_t actor = 0; actor < ranks.actors.size(); ++actor)
    actors[ranks.actors[actor].process].push_back(actor);
  for (std::size_t process = 0; process < job.processes.size(); ++process) {
    if (actors[process].size() == 1) {
      take_whole(job.processes[process], rows[actors[process].front()]);
      continue;
    }
    std::map<std::int32_t, LogRow*> by_device;
    for (const std::size_t actor : actors[process]) by_device[ranks.actors[actor].device] = &rows[actor];
    Division(job.processes[process], ranks, std::move(by_device)).divide();
  }
  return rows;
}

bool mend(LogRow& row) {
  for (const TornCall& call : row.torn) {
    const auto comm = comm_of_torn(row, call);
    if (!comm) {
      row.events.resize(call.at);
      row.op_counts.resize(call.at);
      row.times.resize(std::min<std::size_t>(row.times.size(), call.at));
      return true;
    }
    row.events[call.at].comm = *comm;
  }
  return false;
}

}  // namespace petri

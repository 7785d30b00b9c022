#include "harness/import/flight_progress.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "harness/trace/op.hpp"

namespace petri {
namespace {

bool is_over(const Event& event) {
  return event.state == EventState::completed;
}

// Nobody leaves one of these before all have come (MPI 4.1, section 6.1; NCCL's are no different).
bool synchronizes(Op op) {
  return !is_rooted(op);
}

std::int32_t position(std::int64_t number) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number, kNoPosition, std::numeric_limits<std::int32_t>::max() - 1));
}

class Settling {
 public:
  Settling(std::vector<FlightRecord>& records, const std::vector<bool>& used)
      : records_(records),
        used_(used),
        messages_(used.size()),
        mixed_(used.size()),
        completed_(used.size(), kNoPosition),
        standings_(records.size() + 1) {}

  std::vector<FlightStanding> run() {
    for (const FlightRecord& record : records_)
      for (const auto& [group, progress] : record.groups)
        if (progress.messages) messages_[slot(group)] = true;
    for (const FlightRecord& record : records_)
      for (const std::int32_t group : record.message_groups) messages_[slot(group)] = true;
    for (const FlightRecord& record : records_) find_mixed_counts(record);
    for (std::size_t i = 0; i < records_.size(); ++i) take_status(records_[i], standings_[i]);
    for (FlightRecord& record : records_) take_mixed_status(record);
    for (FlightRecord& record : records_)
      for (const auto& [group, progress] : record.groups)
        completed_[slot(group)] = std::max(completed_[slot(group)], progress.completed);
    for (std::size_t i = 0; i < records_.size(); ++i) standings_[i].stale = correct(records_[i]);
    for (std::size_t i = 0; i < records_.size(); ++i) place(&records_[i], standings_[i]);
    place(nullptr, standings_.back());
    return std::move(standings_);
  }

 private:
  static std::size_t slot(std::int32_t group) { return static_cast<std::size_t>(group); }

  // Gloo's recorder counts messages, of which it keeps no entries: seen where the last call that is kept has another
  // number than the last one that was enqueued.
  void find_mixed_counts(const FlightRecord& record) {
    for (const auto& [group, numbers] : record.status) {
      const auto found = record.groups.find(group);
      if (found != record.groups.end() && found->second.last != kNoPosition && found->second.last != numbers.first &&
          !messages_[slot(group)])
        messages_[slot(group)] = mixed_[slot(group)] = true;
    }
  }

  // pg_status tells of collectives that no entry tells of any more.
  void take_status(FlightRecord& record, FlightStanding& standing) {
    for (const auto& [group, numbers] : record.status) {
      if (messages_[slot(group)] || !used_[slot(group)]) continue;
      FlightProgress& progress = record.groups[group];
      progress.enqueued = std::max(progress.enqueued, position(numbers.first));
      const std::int32_t completed = std::max(position(numbers.second), kFirstFlightNumber - 1);  // -1: none
      if (progress.outstanding != kNoPosition && progress.outstanding > completed + 1) standing.place_lost = true;
      if (progress.outstanding == kNoPosition || completed < progress.outstanding)
        progress.completed = std::max(progress.completed, completed);
    }
    // Without a status, a record of which only the unfinished calls are kept says that those before them are over.
    for (auto& [group, progress] : record.groups)
      if (record.status.count(group) == 0 && progress.completed == kNoPosition && progress.outstanding != kNoPosition)
        progress.completed = progress.outstanding - 1;
  }

  // On a group with messages, too, a number is that of a collective where another member shows one of that number open,
  // and no message of the group has as large a one.
  void take_mixed_status(FlightRecord& record) {
    for (const auto& [group, numbers] : record.status) {
      if (!messages_[slot(group)] || mixed_[slot(group)] || !used_[slot(group)]) continue;
      const auto found = record.groups.find(group);
      FlightProgress progress = found == record.groups.end() ? FlightProgress() : found->second;
      const std::int32_t number = position(numbers.second);
      const bool fits = progress.outstanding == kNoPosition ? numbers.first == numbers.second  // nothing is pending
                                                            : number + 1 == progress.outstanding;
      if (!fits || number <= progress.completed) continue;
      if (!is_open_elsewhere(group, number) || !is_no_message(group, number)) continue;
      progress.completed = number;
      progress.enqueued = std::max(progress.enqueued, number);
      record.groups[group] = progress;
    }
  }

  bool is_open_elsewhere(std::int32_t group, std::int32_t number) const {
    return std::any_of(records_.begin(), records_.end(), [&](const FlightRecord& record) {
      const auto found = record.groups.find(group);
      return found != record.groups.end() && found->second.outstanding != kNoPosition &&
             found->second.outstanding <= number && number <= found->second.last;
    });
  }

  bool is_no_message(std::int32_t group, std::int32_t number) const {
    return std::all_of(records_.begin(), records_.end(), [&](const FlightRecord& record) {
      if (!record.groups.contains(group) && !record.message_groups.contains(group)) return true;
      const auto found = record.last_message.find(group);
      return found != record.last_message.end() && found->second < number;
    });
  }

  // Calls that another member proves to have completed; true where there are any.
  bool correct(FlightRecord& record) {
    auto& events = record.calls.events;
    std::map<std::int32_t, std::int32_t> proved;  // by group: up to where
    for (std::size_t i = 0; i < events.size(); ++i) {
      const std::int32_t number = record.calls.positions[i];
      if (number == kNoPosition || is_over(events[i]) || !synchronizes(events[i].op)) continue;
      if (number <= completed_[slot(events[i].comm)]) proved[events[i].comm] = number;
    }
    if (proved.empty()) return false;
    std::size_t last = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const auto found = proved.find(events[i].comm);
      const std::int32_t number = record.calls.positions[i];
      if (number == kNoPosition || found == proved.end() || number > found->second) continue;
      events[i].state = EventState::completed;
      last = i;
    }
    // Messages that were enqueued before them: whether they are over is not known, so nobody is to wait for them.
    for (std::size_t i = 0; i < last; ++i)
      if (record.calls.positions[i] == kNoPosition) events[i].state = EventState::completed;
    // Nor is it known whether what had begun then is over by now.
    for (Event& event : events)
      if (event.state == EventState::started) event.state = EventState::scheduled;
    return true;
  }

  // Of a rank without a record where `record` is null.
  void place(const FlightRecord* record, FlightStanding& standing) const {
    for (std::size_t group = 0; group < used_.size(); ++group) {
      if (!used_[group]) continue;
      const auto number = static_cast<std::int32_t>(group);
      FlightProgress progress;
      if (record != nullptr)
        if (const auto found = record->groups.find(number); found != record->groups.end()) progress = found->second;
      const std::int32_t first = progress.first != kNoPosition
                                     ? progress.first
                                     : std::max({completed_[group], progress.enqueued, progress.completed}) + 1;
      standing.joined[number] = std::max(0, first - kFirstFlightNumber);
    }
  }

  std::vector<FlightRecord>& records_;
  const std::vector<bool>& used_;        // by group
  std::vector<bool> messages_;           // by group: its status counts messages, too
  std::vector<bool> mixed_;              // by group: one count numbers messages and collectives
  std::vector<std::int32_t> completed_;  // by group: the last that any member has completed
  std::vector<FlightStanding> standings_;
};

}  // namespace

void note_progress(FlightRecord& record) {
  for (std::size_t i = 0; i < record.calls.events.size(); ++i) {
    const Event& event = record.calls.events[i];
    if (kind_of(event.op) == OpKind::wait) continue;
    FlightProgress& progress = record.groups[event.comm];
    const std::int32_t number = record.calls.positions[i];
    if (number == kNoPosition) {
      progress.messages = true;
      continue;
    }
    if (progress.first == kNoPosition) progress.first = number;
    progress.last = progress.enqueued = std::max(progress.last, number);
    if (is_over(event))
      progress.completed = std::max(progress.completed, number);
    else if (progress.outstanding == kNoPosition)
      progress.outstanding = number;
  }
}

std::vector<FlightStanding> settle(std::vector<FlightRecord>& records, const std::vector<bool>& used) {
  return Settling(records, used).run();
}

}  // namespace petri

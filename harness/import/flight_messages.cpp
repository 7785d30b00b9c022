#include "harness/import/flight_messages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "harness/trace/op.hpp"

namespace petri {
namespace {

bool is_message(const Event& event) {
  return kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::recv;
}

// By event: a message whose call, or the wait for it, has returned, and such a wait.
std::vector<bool> over(const std::vector<Event>& events) {
  std::vector<bool> over(events.size(), false);
  bool waited = true;  // of a launch of several: by what follows its calls
  for (std::size_t i = events.size(); i-- > 0;) {
    const bool completed = events[i].state == EventState::completed;
    if (kind_of(events[i].op) == OpKind::wait) over[i] = waited = completed;
    if (is_message(events[i])) over[i] = events[i].request == kNoRequest ? completed : waited;
  }
  return over;
}

// Where a rank's collectives stand in its record: by group their numbers, which ascend, and their places.
class Places {
 public:
  explicit Places(const FlightCalls& calls) {
    for (std::size_t i = 0; i < calls.events.size(); ++i)
      if (calls.positions[i] != kNoPosition)
        by_group_[calls.events[i].comm].emplace_back(calls.positions[i], static_cast<std::uint32_t>(i));
  }

  std::optional<std::uint32_t> find(std::int32_t group, std::int32_t number) const {
    const auto found = by_group_.find(group);
    if (found == by_group_.end()) return std::nullopt;
    const auto place =
        std::lower_bound(found->second.begin(), found->second.end(), std::pair(number, std::uint32_t{0}));
    if (place == found->second.end() || place->first != number) return std::nullopt;
    return place->second;
  }

 private:
  std::map<std::int32_t, std::vector<std::pair<std::int32_t, std::uint32_t>>> by_group_;
};

class LeavingOut {
 public:
  LeavingOut(const std::vector<FlightRecord>& records, const FlightGroups& groups)
      : records_(records), groups_(groups) {
    for (std::size_t i = 0; i < records_.size(); ++i) record_of_.emplace(records_[i].rank, i);
    places_.resize(records_.size());
  }

  std::vector<std::vector<bool>> run() {
    std::vector<std::vector<bool>> left_out;
    for (std::size_t i = 0; i < records_.size(); ++i) left_out.push_back(of_record(i));
    return left_out;
  }

 private:
  std::vector<bool> of_record(std::size_t number) {
    const std::vector<Event>& events = records_[number].calls.events;
    std::vector<bool> out = over(events);
    std::map<std::int32_t, std::optional<std::uint32_t>> anchors;  // by peer
    std::set<std::uint32_t> kept;                                  // requests
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (kind_of(events[i].op) == OpKind::wait) {
        const auto requests = events[i].extras.requests();
        out[i] = std::none_of(requests.begin(), requests.end(),
                              [&](std::uint32_t request) { return kept.contains(request); });
        continue;
      }
      if (!is_message(events[i])) continue;
      const std::int32_t peer = global_peer(events[i]);
      auto found = anchors.find(peer);
      if (found == anchors.end()) found = anchors.emplace(peer, anchor(number, peer)).first;
      if (out[i] && found->second && i > *found->second) out[i] = false;
      if (!out[i] && events[i].request != kNoRequest) kept.insert(events[i].request);
    }
    return out;
  }

  std::int32_t global_peer(const Event& event) const {
    const auto& ranks = groups_.ranks_of(event.comm);
    const bool named = event.peer >= 0 && static_cast<std::size_t>(event.peer) < ranks.size();
    return named ? ranks[static_cast<std::size_t>(event.peer)] : -1;
  }

  // Where a record shows the last collective that both ranks have completed; the same one on both sides.
  std::optional<std::uint32_t> anchor(std::size_t number, std::int32_t peer) {
    const auto found = record_of_.find(peer);
    if (found == record_of_.end() || found->second == number) return std::nullopt;
    const bool is_lower = records_[number].rank < peer;
    const std::size_t lower = is_lower ? number : found->second, higher = is_lower ? found->second : number;
    std::optional<std::pair<std::uint32_t, std::uint32_t>> last;  // places in both
    for (const auto& [group, progress] : records_[lower].groups) {
      const auto other = records_[higher].groups.find(group);
      if (other == records_[higher].groups.end()) continue;
      const std::int32_t both = std::min(progress.completed, other->second.completed);
      const auto here = places(lower).find(group, both), there = places(higher).find(group, both);
      if (here && there && (!last || *here > last->first)) last = {*here, *there};
    }
    if (!last) return std::nullopt;
    return is_lower ? last->first : last->second;
  }

  const Places& places(std::size_t number) {
    if (!places_[number]) places_[number].emplace(records_[number].calls);
    return *places_[number];
  }

  const std::vector<FlightRecord>& records_;
  const FlightGroups& groups_;
  std::unordered_map<std::int32_t, std::size_t> record_of_;  // by rank
  std::vector<std::optional<Places>> places_;                // by record, of those that were asked
};

}  // namespace

std::vector<std::vector<bool>> messages_left_out(const std::vector<FlightRecord>& records, const FlightGroups& groups) {
  return LeavingOut(records, groups).run();
}

void keep_requests(Event& wait, const std::set<std::uint32_t>& gone) {
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t request : wait.extras.requests())
    if (!gone.contains(request)) kept.push_back(request);
  wait.extras.set_requests(kept);
}

}  // namespace petri

#include "harness/import/nccl_log_ends.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace petri {
namespace {

bool is_send(Op op) {
  return op == Op::send || op == Op::isend;
}

bool is_recv(Op op) {
  return op == Op::recv || op == Op::irecv;
}

class Conclusions {
 public:
  explicit Conclusions(Scenario& scenario) : scenario_(scenario), totals_(scenario.ranks.size()) {
    for (std::size_t rank = 0; rank < totals_.size(); ++rank) totals_[rank] = count(static_cast<std::int32_t>(rank));
  }

  void conclude() {
    std::vector<Event*> over;
    for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
      auto& events = trace(rank).events;
      if (!events.empty() && is_over(rank, events.back())) over.push_back(&events.back());
    }
    for (Event* const event : over) event->state = EventState::completed;
  }

 private:
  // Of one rank: how many collectives on a communicator, and messages to and from a peer there.
  struct Totals {
    std::map<std::int32_t, std::int64_t> collectives;
    std::map<std::tuple<std::int32_t, std::int32_t, bool>, std::int64_t> messages;  // by communicator, peer, direction
  };

  RankTrace& trace(std::int32_t rank) { return scenario_.ranks[static_cast<std::size_t>(rank)]; }
  const Totals& totals(std::int32_t rank) const { return totals_[static_cast<std::size_t>(rank)]; }

  // Global rank of a message's peer, or -1.
  std::int32_t peer_of(const Event& event) const {
    const Communicator& comm = scenario_.comm_of(event);
    if (!comm.known || event.peer < 0 || static_cast<std::size_t>(event.peer) >= comm.ranks.size()) return -1;
    return comm.ranks[static_cast<std::size_t>(event.peer)];
  }

  Totals count(std::int32_t rank) {
    Totals totals;
    for (const auto& [comm, position] : trace(rank).end.joined) totals.collectives[comm] = position;
    for (const Event& event : trace(rank).events) {
      if (kind_of(event.op) == OpKind::collective) ++totals.collectives[event.comm];
      if (is_send(event.op) || is_recv(event.op)) ++totals.messages[{event.comm, peer_of(event), is_send(event.op)}];
    }
    return totals;
  }

  template <class Counts, class Key>
  static std::int64_t number(const Counts& counts, const Key& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
  }

  bool is_over(std::int32_t rank, const Event& last) {
    if (last.state == EventState::completed || !last.extras.error().empty()) return false;
    if (kind_of(last.op) == OpKind::collective) return is_collective_over(rank, last);
    const auto& events = trace(rank).events;
    std::size_t first = events.size() - 1;
    if (last.op == Op::waitall)
      while (first > 0 && events[first - 1].request != kNoRequest) --first;
    bool any = false, all = true;
    for (std::size_t i = first; i < events.size() && all; ++i) {
      if (!is_send(events[i].op) && !is_recv(events[i].op)) continue;
      any = true;
      all = is_message_over(rank, events[i]);
    }
    return any && all;
  }

  bool is_collective_over(std::int32_t rank, const Event& last) {
    const Communicator& comm = scenario_.comm_of(last);
    const std::int64_t calls = number(totals(rank).collectives, last.comm);
    if (!comm.known) return false;
    bool some_went_on = false;
    for (const std::int32_t member : comm.ranks) {
      const std::int64_t others = number(totals(member).collectives, last.comm);
      if (others < calls) return false;
      some_went_on = some_went_on || others > calls;
      if (trace(member).events.empty()) continue;
      const Event& end = trace(member).events.back();
      some_went_on = some_went_on || end.comm != last.comm || kind_of(end.op) != OpKind::collective;
    }
    return some_went_on;
  }

  // Messages of one pair are matched in order: all of this rank's are where the peer has as many.
  bool is_message_over(std::int32_t rank, const Event& message) {
    const std::int32_t peer = peer_of(message);
    if (peer < 0) return false;
    if (peer == rank) return true;
    const bool sends = is_send(message.op);
    const auto own = number(totals(rank).messages, std::tuple(message.comm, peer, sends));
    const auto matching = number(totals(peer).messages, std::tuple(message.comm, rank, !sends));
    if (matching < own) return false;
    const Event& end = trace(peer).events.back();
    const bool ends_in_messages = end.op == Op::waitall || is_send(end.op) || is_recv(end.op);
    return matching > own || !ends_in_messages || end.comm != message.comm;
  }

  Scenario& scenario_;
  std::vector<Totals> totals_;
};

}  // namespace

void conclude_last_calls(Scenario& scenario) {
  Conclusions(scenario).conclude();
}

}  // namespace petri

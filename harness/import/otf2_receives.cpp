#include "harness/import/otf2_receives.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace petri {
namespace {

// By rank and communicator: messages sent to it less those it is known to have received.
using Balance = std::vector<std::map<std::int32_t, std::int64_t>>;

void note_send(const Scenario& scenario, std::size_t rank, const Event& event, std::int32_t peer, Balance& balance) {
  const Communicator& comm = scenario.comm_of(event);
  if (peer < 0 || !comm.known) return;
  const std::int32_t to = comm.peers_of(static_cast<std::int32_t>(rank))[static_cast<std::size_t>(peer)];
  ++balance[static_cast<std::size_t>(to)][event.comm];
}

Balance balance_of(const Scenario& scenario) {
  Balance balance(scenario.ranks.size());
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    for (const Event& event : scenario.ranks[rank].events) {
      if (event.comm == kNoComm) continue;
      const OpKind kind = kind_of(event.op);
      if (kind == OpKind::send) note_send(scenario, rank, event, event.peer, balance);
      if (kind == OpKind::sendrecv) note_send(scenario, rank, event, event.extras.sendpeer(), balance);
      const bool receives =
          (kind == OpKind::recv && event.peer >= 0) || (kind == OpKind::sendrecv && event.extras.recvpeer() >= 0);
      if (receives) --balance[rank][event.comm];
    }
  }
  return balance;
}

}  // namespace

void place_otf2_receives(const Otf2Definitions& definitions, Scenario& scenario, Otf2Gaps& gaps) {
  const auto is_open = [](const Event& event) { return event.comm == kNoComm; };
  const bool any = std::any_of(scenario.ranks.begin(), scenario.ranks.end(), [&](const RankTrace& rank) {
    return std::any_of(rank.events.begin(), rank.events.end(), is_open);
  });
  if (!any) return;
  const Balance balance = balance_of(scenario);
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    std::int32_t comm = kNoComm;
    int candidates = 0;
    for (const auto& [index, messages] : balance[rank])
      if (messages > 0) comm = index, ++candidates;
    for (Event& event : scenario.ranks[rank].events) {
      if (!is_open(event)) continue;
      if (candidates == 1) {
        event.comm = comm;
        event.peer = event.tag = kAny;
      } else {
        event.comm = definitions.unnamed_comm(scenario, static_cast<std::int32_t>(rank));
        ++gaps.unnamed;
      }
    }
  }
}

}  // namespace petri

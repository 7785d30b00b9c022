// Cutting a scenario down to a selection, and repairing what that leaves behind, so that the rest is a legal program
// again as far as its own arguments go. Whether its ranks still fit together is for the oracle to say.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// What becomes of a persistent request that loses its last start. MPI allows one that is never started, and a wait for
// it, which then returns at once (MPI 4.1, section 3.9).
enum class Idle : std::uint8_t { goes, stays };

// What of a scenario is kept: one flag for each rank, communicator (the world's is ignored) and event.
struct Selection {
  std::vector<std::uint8_t> ranks;
  std::vector<std::uint8_t> comms;
  std::vector<std::vector<std::uint8_t>> events;
  Idle idle = Idle::goes;

  static Selection all(const Scenario& base);
  static Selection no_events(const Scenario& base);  // all ranks and communicators
  void keep(EventRef ref) { events[static_cast<std::size_t>(ref.rank)][ref.index] = 1; }
  void drop(EventRef ref) { events[static_cast<std::size_t>(ref.rank)][ref.index] = 0; }
  bool keeps(EventRef ref) const { return events[static_cast<std::size_t>(ref.rank)][ref.index] != 0; }
};

// Who stands in for a dropped peer: called with a communicator's index and the group ranks of the caller and of the
// dropped peer; answers the group rank (before renumbering) of a kept member, or -1 for nobody.
using StandIn = std::function<std::int32_t(std::int32_t comm, std::int32_t self, std::int32_t peer)>;

// The selected part of `base`, repaired:
// - members leave communicators; root, peer, matched, target, named members and per-member counts are renumbered;
// - sends, receives and probes whose peer is gone go too, and so does a receive of any source that got such a message;
//   a sendrecv loses that half; where a dropped peer has a stand-in it is rewired instead;
// - a collective whose root is gone takes the next kept member for its root, an intercommunicator's leader likewise;
// - neighbours leave topologies, and their counts the collectives along them; a grid becomes a graph of neighbours;
// - a post or start that names nobody any more goes, and what ends an epoch goes with what opened it;
// - what uses a dropped communicator goes; an event that made one stays, without `new`: on its parent it is a call like
//   any other;
// - a request whose maker is gone leaves its waits, tests and starts, which go when they are empty; a persistent
//   request that is never started any more goes, unless it may stay idle; a matched receive goes with its probe;
// - communicators without member or event disappear;
// - `coll_seq` is lowered by the dropped calls before it.
// Events keep their `seq`; `origin.ranks` maps the new ranks to those it mapped before (or to `base`'s own).
// Nothing when no rank is kept.
std::optional<Scenario> cut(const Scenario& base, const Selection& keep, const StandIn& stand_in = {});

}  // namespace petri::reduce

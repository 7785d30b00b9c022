// Calls of a rank's threads whose order decides something: two collectives at one place, two receives that could take
// one message, two messages that a receive could tell apart only by their order. Nothing but the program orders such
// calls ("logically concurrent", MPI 4.1, sections 3.5 and 6.14), so which is made first is a free decision.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "harness/model/lanes.hpp"
#include "harness/trace/venue.hpp"

namespace petri::model {

class Rivals {
 public:
  Rivals(const Scenario& scenario, const std::vector<Lane>& lanes);

  // Has another thread of its rank still to make a call that this one competes with?
  bool contested(std::uint32_t lane, EventRef call) const;
  // The lane makes it.
  void made(std::uint32_t lane, EventRef call);

 private:
  // What a call lays claim to; kAny stands for itself, all others are counted under several claims.
  struct Claim {
    enum Kind : std::uint8_t { place, send, send_to, recv, recv_tag, recv_from, recv_all } kind = place;
    std::int32_t where = 0;  // a communicator, or the number of a venue
    std::int32_t peer = 0, tag = 0;
    auto operator<=>(const Claim&) const = default;
  };
  struct Claims {
    std::vector<Claim> own, against;
  };
  void note(const Event& event, Claims& claims);
  void note_send(std::int32_t comm, std::int32_t peer, std::int32_t tag, Claims& claims) const;
  static void note_recv(std::int32_t comm, std::int32_t peer, std::int32_t tag, Claims& claims);

  std::vector<std::unordered_map<std::uint32_t, Claims>> claims_;       // by rank and event; of ranks with threads
  std::vector<std::map<Claim, std::map<std::uint32_t, int>>> to_come_;  // by rank: how many calls, by lane
  std::map<Venue, std::int32_t> venues_;
  std::set<std::int32_t> any_tag_;  // communicators on which some receive takes any tag
};

}  // namespace petri::model

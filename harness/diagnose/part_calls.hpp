// The calls of one rank as the part that it plays in the job prescribes them, so that ranks of one part have equal
// ones.
//
// Open is which communicator of those that one call made, which partner at one place in the order of partners, and the
// size of a message. Internal to harness/diagnose.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::diagnosis {

// What communicators of one purpose have in common: the place of their making among those that the rank made together
// with all of the parent; of others the sizes of both groups must do.
using CommKind = std::uint64_t;

struct PartCall {
  std::uint64_t strict = 0;
  std::uint64_t loose = 0;  // the same where a call is missing before it: a wait for all has fewer requests then
  std::uint64_t bare = 0;   // whatever its partners: at the edge of a grid they are others, or nobody
  EventRef ref;
};

// Goes through them up to where the rank stands. What it does between calls is no part of them, nor is a failed poll.
// The scenario must outlive it.
class PartCalls {
 public:
  // With `only`, calls on communicators of that kind alone.
  PartCalls(const Scenario& scenario, const model::Run& run, std::int32_t rank, std::optional<CommKind> only);

  std::optional<PartCall> next();

  // Goes on with the call at `index`, where partners count as if nothing had been before.
  void go_to(std::uint32_t index);
  void forget_partners() { partners_.clear(); }

  CommKind comm_kind(std::int32_t comm);

 private:
  void note_communicator(const Event& event);
  std::uint64_t partner(std::int32_t comm, std::int32_t peer);
  PartCall call_of(const Event& event, EventRef ref);

  const Scenario& scenario_;
  std::optional<CommKind> only_;
  std::int32_t rank_;
  const std::vector<Event>& events_;
  std::uint32_t next_ = 0, end_ = 0;
  CommKind made_ = 0;
  std::map<std::int32_t, CommKind> kinds_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> partners_;  // by the order of their first appearance
};

// By rank: is its history a sequence that is known from the start? Calls of several threads and streams have no order
// among each other.
std::vector<bool> with_one_known_order(const Scenario& scenario, const model::Run& run);

// How many ranks each has to do with: whom it addresses, and who addresses it. Ranks in the corner and in the middle of
// a grid play different parts, and so do a master and its workers.
std::vector<std::size_t> partners_of_all(const Scenario& scenario, const model::Run& run);

}  // namespace petri::diagnosis

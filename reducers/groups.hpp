// Events that belong together: take one and the others make no sense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// A partition of a scenario's events, found in one pass without judging whether the scenario is right:
// - the calls at one position of a communicator, window or file, on all its members (matched by position, never by
// name);
// - the k-th send of a rank to another and the receive that it fits, by communicator, tag and order; a wildcard receive
//   only where `matched` says whom it got;
// - a request's maker with its starts and the waits for it alone; a probe with the receive of its message;
// - every other event on its own.
class Groups {
 public:
  std::size_t size() const { return begin_.size() - 1; }  // groups in the order of their first event, rank by rank
  std::uint32_t of(EventRef ref) const { return of_[static_cast<std::size_t>(ref.rank)][ref.index]; }
  std::span<const EventRef> members(std::uint32_t group) const {  // in the order of ranks and indices
    return std::span(members_).subspan(begin_[group], begin_[group + 1] - begin_[group]);
  }

 private:
  friend Groups group_events(const Scenario& scenario);
  std::vector<std::vector<std::uint32_t>> of_;  // by rank and index
  std::vector<EventRef> members_;               // group after group: one list, as most groups are small
  std::vector<std::uint32_t> begin_{0};         // of each group in it, and its end
};

Groups group_events(const Scenario& scenario);

}  // namespace petri::reduce

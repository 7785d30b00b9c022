// Handles that go from one thread of a rank to another: who uses one comes after the thread that made it, and who frees
// it after those that use it. How the threads agree on that is not in a record; that they did follows from the handle.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/model/lanes.hpp"

namespace petri::model {

class Handovers {
 public:
  // A call of another thread: the lane, and the place in its events.
  struct Before {
    std::uint32_t lane = 0, position = 0;
  };

  Handovers(const Scenario& scenario, const std::vector<Lane>& lanes);

  // Does any thread of the rank hand something over?
  bool any(std::int32_t rank) const { return !before_[static_cast<std::size_t>(rank)].empty(); }
  // Calls of other threads that must have returned before this one can be made.
  const std::vector<Before>& before(EventRef call) const;

 private:
  std::vector<std::unordered_map<std::uint32_t, std::vector<Before>>> before_;  // by rank and event
};

}  // namespace petri::model

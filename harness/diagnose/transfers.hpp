// What the members of a collective give to each other and take from each other, pair by pair: v-forms, neighbourhood
// collectives, and calls on intercommunicators. Internal to harness/diagnose.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/diagnose/arguments.hpp"

namespace petri::diagnosis {

struct Arrival {
  EventRef ref;
  const Event* event = nullptr;
  std::int32_t member = 0;          // index among the members of the gathering
  std::int32_t group = 0;           // of an intercommunicator: which of the two
  std::int32_t group_rank = 0;      // in that group
  std::int32_t root = -1;           // the member that it takes for the root; -1: none
  const Event* topology = nullptr;  // the call that made the topology, with its neighbours
  bool is_root() const { return root == member; }
};

// Sorts arrivals by a text; a clash when there are at least two.
class Sides {
 public:
  void add(const std::string& value, EventRef ref) { events_of(value).push_back(ref); }
  void add(const std::string& value, const std::vector<EventRef>& refs) {
    auto& events = events_of(value);
    events.insert(events.end(), refs.begin(), refs.end());
  }
  void report(std::string argument, std::vector<Clash>& clashes) {
    if (sides_.size() < 2) return;
    std::stable_sort(sides_.begin(), sides_.end(),
                     [](const Clash::Side& a, const Clash::Side& b) { return a.events.size() > b.events.size(); });
    clashes.push_back({std::move(argument), std::move(sides_)});
  }

 private:
  std::vector<EventRef>& events_of(const std::string& value) {
    for (Clash::Side& side : sides_)
      if (side.value == value) return side.events;
    return sides_.emplace_back(Clash::Side{value, {}}).events;
  }

  std::vector<Clash::Side> sides_;
};

// One block of data: how much `from` gives and `to` takes, -1 where it is not recorded.
struct Transfer {
  const Arrival *from = nullptr, *to = nullptr;
  std::int64_t give = -1, take = -1;
};

std::vector<Transfer> transfers_of(const std::vector<Arrival>& arrivals);

// Counts and types must fit where data goes (MPI 4.1, sections 6.5 to 6.8 and 8.6).
void compare_transfers(const std::vector<Transfer>& transfers, std::vector<Clash>& clashes);

// Each source that one member names must name it as a destination, and the other way round (MPI 4.1, section 8.5.4).
void compare_neighbours(const std::vector<Arrival>& arrivals, std::vector<Clash>& clashes);

}  // namespace petri::diagnosis

// The two ways in which passes walk through their opportunities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reducers/pass.hpp"
#include "reducers/repair.hpp"

namespace petri::reduce {

// What is taken away together.
struct Unit {
  std::span<const std::int32_t> ranks, comms;
  std::span<const EventRef> events;
};

// Many units in one piece: of a large job there may be one for each event.
class Units {
 public:
  std::size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  Unit operator[](std::size_t unit) const;
  void add(const Unit& unit);

 private:
  struct Ends {
    std::uint32_t ranks = 0, comms = 0, events = 0;
  };
  std::vector<Ends> ends_;  // of each unit in the lists
  std::vector<std::int32_t> ranks_, comms_;
  std::vector<EventRef> events_;
};

// Delta debugging by complements: takes away all units, then halves, quarters … down to single ones; what was accepted
// stays away. Units speak of `base` till half of its events are gone, and then of what is left, so that small
// candidates are not cut out of a large scenario. About 2 n candidates where all units are needed, of the order of k
// log n where k are. (Zeller and Hildebrandt 2002, without the subset step: a chunk of half the units is both.)
std::unique_ptr<Search> remove_units(ScenarioPtr base, Units units, const PassContext& context);

// Candidates from a list, tried in order. After an acceptance the list is made anew from what was accepted.
using Proposal = std::function<std::optional<Scenario>()>;
using ProposalList = std::function<std::vector<Proposal>(const ScenarioPtr&)>;
std::unique_ptr<Search> try_in_order(const ScenarioPtr& base, ProposalList list);

}  // namespace petri::reduce

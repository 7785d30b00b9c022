// A pass: one idea of how a scenario can become smaller.
//
// `propose` looks at a scenario once and lists the opportunities; the search walks through them, and `apply` makes the
// candidate at its cursor (by `cut`, which repairs it). Searches hold no scenario of the engine's and judge nothing:
// they are told what became of each candidate. A copy that is told "rejected" again and again yields exactly the
// candidates that would follow if nothing were accepted: this is how they are judged ahead of time, without changing
// the outcome.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

using ScenarioPtr = std::shared_ptr<const Scenario>;

class Search {
 public:
  virtual ~Search() = default;
  virtual std::unique_ptr<Search> clone() const = 0;
  virtual bool done() const = 0;
  // The candidate at the cursor, or nothing where it would be empty. Called from any thread.
  virtual std::optional<Scenario> apply() const = 0;
  virtual void rejected() = 0;
  virtual void accepted(const ScenarioPtr& now) = 0;  // `now` is what apply() gave
};

// An event's name that survives reductions: rank of the original job and local sequence number.
struct EventName {
  std::int32_t rank = 0;
  std::uint32_t seq = 0;
  auto operator<=>(const EventName&) const = default;
};

// What the passes know besides the scenario.
struct PassContext {
  std::set<EventName> failure;  // events that the failure is made of: root cause and blocked calls; may be empty
  std::uint64_t seed = 0;       // 0 tries in the natural order; others shuffle where the order is free
};

class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  // Whether another failure that a candidate shows is worth keeping aside. Not where a pass only turns sizes: the same
  // failure then shows under many of them.
  virtual bool may_meet_others() const { return true; }
  virtual std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const = 0;
};

// The rank of the original job that a rank of this scenario stands for.
std::int32_t original_rank(const Scenario& scenario, std::int32_t rank);

// Events of this scenario that the failure is made of.
std::vector<EventRef> failure_events(const Scenario& scenario, const PassContext& context);

}  // namespace petri::reduce

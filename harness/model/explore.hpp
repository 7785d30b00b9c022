// Exploration of the orders in which wildcard receives can match.
//
// Where nothing else can move, a free wildcard may take any of its candidates, and one rank's wildcard may be served
// before another's: each such decision is one alternative. Delaying wildcards until everything certain has happened
// makes this complete for deadlocks (Vakkalanka, Gopalakrishnan, Kirby: Dynamic verification of MPI programs with
// reductions in presence of split operations and relaxed orderings, CAV 2008).
#pragma once

#include <cstdint>
#include <functional>

#include "harness/model/run.hpp"

namespace petri::model {

struct Exploration {
  std::uint64_t orders = 0;  // runs made
  bool complete = true;      // false: the budget ended before all orders were seen
};

// Calls `visit` for each order, the default one first, until it returns false or `max_orders` runs were made.
Exploration explore(const Scenario& scenario, const Assumptions& assumptions, std::uint64_t max_orders,
                    const std::function<bool(const Run&)>& visit);

}  // namespace petri::model

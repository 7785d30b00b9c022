// Reductions whose result depends on the order in which it is made: evaluated, where a scenario says what each rank
// contributes (`values`, `fill`) and names the orders to hold against each other (`orders`).
//
// Bits are compared; any NaN equals any other. In order of what is said first: ranks of one run disagree, runs of one
// order disagree, two orders disagree, a NaN appears though nobody contributed one.
#pragma once

#include <optional>
#include <stop_token>

#include "harness/diagnose/fault.hpp"

namespace petri::diagnosis {

struct OrderDependence {
  // The first such reduction, in the order in which collectives met.
  std::optional<Fault> difference;
  // Orders that no catalogue knows for the type and operation, reductions with orders whose payload is not there, and
  // those that would take too long or too much memory: what they would show is not known.
  std::optional<Fault> undecided;
};

// Takes seconds at most: see kMostWork in order_search.hpp.
OrderDependence find_order_dependence(const Scenario& scenario, const model::Run& run, const std::stop_token& stop);

}  // namespace petri::diagnosis

// A call that always follows another, and once does not: how a lost answer shows itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

struct BrokenHabit {
  EventRef before;    // the call after which the usual one is missing
  EventRef instead;   // what came instead
  std::string usual;  // what follows everywhere else, in words
};

// Looks through ranks that play one role (they wait alike) for the one pair of successive calls that occurs once only,
// after a call which elsewhere is always followed by another. Nothing when there is no such pair or more than one rank
// has one: the history then names nobody.
std::optional<BrokenHabit> broken_habit(const Scenario& scenario, const std::vector<std::int32_t>& ranks);

}  // namespace petri::diagnosis

// Where a positional call has its place: a communicator, or a window or file that was made over it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

struct Venue {
  std::int32_t comm = 0;
  std::string window, file;  // at most one has a name; both empty: the communicator itself
  auto operator<=>(const Venue&) const = default;
};

// A call that makes a window or file has its place on the communicator; see is_positional.
Venue venue_of(const Event& event);
std::string name_of(const Scenario& scenario, const Venue& venue);

}  // namespace petri

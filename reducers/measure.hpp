// How large a scenario is, and what makes two of them the same question to an oracle.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

// Compared from the first member on: a rank less is worth any number of events. What is accepted is always smaller, so
// every search ends.
struct Size {
  std::uint64_t ranks = 0;
  std::uint64_t events = 0;
  std::uint64_t comms = 0;
  std::uint64_t payload = 0;  // elements over all counts, and failed polls
  std::uint64_t facts = 0;    // recorded outcomes that are no part of the program: states, ends, clocks
  auto operator<=>(const Size&) const = default;
};

Size size_of(const Scenario& scenario);

// A digest of everything that can decide the answer of an oracle. Local sequence numbers (except whether
// a rank's first one is 0) and the map to original ranks are left out: in a loop or among equal ranks, many removals
// leave the same program behind, and one answer serves all.
std::string fingerprint(const Scenario& scenario);

}  // namespace petri::reduce

// How much memory a live replay needs. Every size in a scenario is hostile until it is checked here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

// Of one operation on one rank, and of one rank's part of a window. Fits MPI's int counts for every element type.
inline constexpr std::uint64_t kMostBytesAtOnce = std::uint64_t{1} << 30;

// Elements of unknown type travel as int32.
std::uint64_t bytes_of_element(ElementType type);

// What the call of `event` needs for its buffers; saturates.
std::uint64_t bytes_of_call(const Scenario& scenario, const Event& event);

// The most that a rank needs at any time: of a blocking call until it returns, of a request until a call completes it.
std::uint64_t peak_bytes(const Scenario& scenario, std::int32_t rank);

// Why the event's sizes cannot be replayed, or nothing.
std::optional<std::string> reason_against_sizes(const Scenario& scenario, const Event& event);

}  // namespace petri

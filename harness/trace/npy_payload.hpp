// Payload that lies in NumPy files beside a scenario (the key `npy`).
#pragma once

#include <cstdint>
#include <filesystem>

#include "harness/trace/scenario.hpp"

namespace petri {

// What all of a scenario's files may hold: as many numbers are kept in memory.
inline constexpr std::uint64_t kMostNpyNumbers = std::uint64_t{1} << 24;

// The numbers that reductions have in files become their `values`, so that whatever judges the scenario has them.
// `folder` is the scenario's: a path that leads out of it is refused. Throws InputError for that, for a file that is no
// array of the event's type and count, and for integers that a number of a scenario does not hold exactly; it names the
// line of the event in `file`, which the scenario was read from, or where that is empty the event itself.
void take_in_npy(Scenario& scenario, const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace petri

// The threads of a rank as a replay performs them: each in its own order, together only where one needs what another
// makes. Free of MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

// One thread of a rank.
struct Lane {
  std::int32_t thread = 0;          // its number in the scenario
  std::vector<std::size_t> events;  // their places in RankTrace::events
};

// The main thread's first, though it may be without events; then the others by number. One lane where only one thread
// makes calls, whichever it is.
std::vector<Lane> lanes_of(const RankTrace& rank);

// True when some rank makes calls from several threads.
bool uses_threads(const Scenario& scenario);

// For each event of the rank, those of its other threads that must be done first, by their places: they made the
// request, message, communicator, window or file that it works on; for finalize, all that they had done by then (MPI
// 4.1, section 11.6.1); for an end of the process, the same but for the calls in which they stood. What else the
// program's threads told each other is not recorded.
std::vector<std::vector<std::size_t>> prerequisites_of(const RankTrace& rank, const std::vector<Lane>& lanes);

// The same for an end of the process behind its last event.
std::vector<std::size_t> prerequisites_of_end(const RankTrace& rank, const std::vector<Lane>& lanes);

}  // namespace petri

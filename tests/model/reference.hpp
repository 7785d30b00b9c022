// A judge that shares nothing with the model: every interleaving of a tiny schedule, one step at a time.
//
// Steps: a lane (a thread of a rank, or a stream of one of its devices) begins its next call; one pair of messages
// matches; one lock is granted; a call with a choice (waitany, a probe, a cancel) makes it. A call that is done for
// good is left at once, since nobody can tell when. The rules are written from MPI 4.1, one file per chapter.
// Exponential: for a few ranks with a few events each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::test {

// Strict (no `buffered`): a send may wait for its receive, a collective for all members, a lock for its grant, and one
// kernel at a time runs on a device. Buffered: a send of up to so many bytes returns, and everything else waits only
// for what it needs.
struct Assumed {
  std::optional<std::int64_t> buffered;
  // Calls that only join a meeting, wait or work locally take nothing from anybody: they are begun at once, unless
  // every interleaving of them is wanted, too.
  bool every_interleaving = false;
};
inline constexpr std::int64_t kAllBuffered = std::numeric_limits<std::int64_t>::max();

struct Ending {
  std::vector<std::int32_t> blocked;  // ranks with a thread or a stream that cannot finish; empty: it completes
  bool mismatch = false;              // arguments that must agree met and did not
  bool pending = false;    // a request neither completed nor freed, or a matched probe's message not received
  bool erroneous = false;  // epochs or locks overlap that must not: what happens then is not defined
  auto operator<=>(const Ending&) const = default;
};

// How all interleavings end; nothing where there are more than `max_states` states.
std::optional<std::set<Ending>> all_endings(const Scenario& scenario, const Assumed& assumed = {},
                                            std::size_t max_states = 1000000);

// Does some call use a request, message, communicator or file that the calls before it leave in no state for it? All
// calls are taken to be made. Epochs of windows, and NCCL's groups, are not judged.
bool uses_wrongly(const Scenario& scenario);

}  // namespace petri::test

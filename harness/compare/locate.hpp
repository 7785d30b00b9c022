// Where two recordings of one job first have different numbers.
//
// Calls are paired by rank, communicator and position on it. Of two that differ, the earlier one is that with the lower
// step, microbatch and position in its rank: clocks play no part. Digests tell equal bytes from others, and nothing
// about how wrong a number is: summaries do, where they were recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::compare {

// One rank's call in both recordings.
struct CallPair {
  EventRef one, other;
};

enum class Inputs : std::uint8_t {
  same,     // on all ranks that joined the call
  differ,   // on some
  unknown,  // no digest of some rank's input was recorded in both, and no other differs
};

// The first call with different digests, as all its ranks made it.
struct Located {
  std::uint64_t position = 0;   // among the collective calls on this communicator, or the rank's others, from 0
  std::vector<CallPair> calls;  // by ascending rank; of those whose digests differ first
  std::vector<std::int32_t> input_ranks;   // whose inputs differ
  std::vector<std::int32_t> result_ranks;  // whose results differ
  Inputs inputs = Inputs::unknown;
};

struct LocatedDifference {
  std::optional<Located> first;
  std::uint64_t compared = 0, differing = 0;  // digests of inputs and results that both have
  // Where a rank first makes another call in one recording than in the other, or none; what follows on this
  // communicator is not paired. The other one may point behind the last event.
  std::optional<CallPair> other_call;
};

// Throws std::invalid_argument where the recordings have different numbers of ranks.
LocatedDifference locate(const Scenario& one, const Scenario& other);

}  // namespace petri::compare

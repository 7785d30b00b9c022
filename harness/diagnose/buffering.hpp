// Under which buffering a deadlock holds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/diagnose/mutual_waits.hpp"
#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

struct BufferingLimit {
  bool always = false;                // no buffering hides it
  std::optional<std::int64_t> bytes;  // otherwise: it is hidden where messages of up to so many bytes are buffered
  bool others_hang = false;           // and where all are, ranks hang all the same, in another deadlock
};

// For each deadlock of `run`, a strict one, the smallest limit under which it is in none of the orders of matches and
// grants that are looked at: more buffering also changes who comes first. 0 bytes: only collectives that synchronize
// more than they must make it a deadlock. Whether other ranks hang does not count, nor whether these do for yet others.
// Costs the orders of one run per distinct message size, halving; nothing where no order was free and nobody waits for
// what buffering gives.
std::vector<BufferingLimit> buffering_limits(const Scenario& scenario, const model::Run& run, bool follow_record,
                                             const std::vector<MutualWaits>& deadlocks);

// Would a strict run end in the same place with all messages buffered, and is this to be seen from where it ended?
bool ends_so_however_buffered(const Scenario& scenario, const model::Run& run);

}  // namespace petri::diagnosis

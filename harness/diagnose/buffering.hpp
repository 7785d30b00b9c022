// Under which buffering a deadlock holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

struct BufferingLimit {
  bool always = false;                // no buffering hides it
  std::optional<std::int64_t> bytes;  // otherwise: it is hidden where messages of up to so many bytes are buffered
};

// The smallest limit under which no rank stays stuck in any of the orders of matches and grants that are looked at:
// more buffering also changes who comes first. 0 bytes: only collectives that synchronize more than they must make it a
// deadlock. Costs the orders of one run per distinct message size, halving.
BufferingLimit buffering_limit(const Scenario& scenario, bool follow_record);

}  // namespace petri::diagnosis

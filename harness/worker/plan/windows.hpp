// The windows of a scenario, as a replay makes them. Free of MPI.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {

struct WindowPlan {
  std::int32_t comm = kNoComm;  // over which it is made
  bool created = false;         // by an event; else it is made before the first one
  bool dynamic = false;         // made without memory; displacements are addresses (MPI 4.1, section 12.2.4)
  // By group rank of `comm`: the bytes that all accesses together need there, and from which displacement on (0 but for
  // dynamic windows, whose memory lies elsewhere in a replay).
  std::vector<std::uint64_t> bytes;
  std::vector<std::int64_t> first;
};

// By name.
std::map<std::string, WindowPlan> windows_of(const Scenario& scenario);

// Why the windows cannot be made, or nothing.
std::optional<Refusal> reason_against_windows(const Scenario& scenario);

// Bytes of all windows on all ranks.
std::uint64_t window_bytes(const Scenario& scenario);

}  // namespace petri

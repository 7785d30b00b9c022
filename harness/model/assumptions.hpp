// What a run of the model takes for granted about the library underneath.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace petri::model {

inline constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// Strict (no `buffered`): a standard send may wait for its receive (MPI 4.1, section 3.4) and every collective may
// synchronize (section 6.1). Buffered: a send of up to so many bytes returns at once, and a collective waits only for
// what it needs: a broadcast's root leaves early, a scan waits for lower ranks only.
struct Assumptions {
  std::optional<std::int64_t> buffered;
  // Where nothing else can move, calls that the record marks `completed` are left: they did return.
  bool follow_record = false;
  // Strictly, a device runs one kernel that communicates at a time. Where several of its streams have one ready, the
  // host's order of enqueuing decides; or, with this, any order does: nothing but events and synchronization bind it.
  bool any_kernel_order = false;
};

}  // namespace petri::model

// One event: an intended operation of one rank, at a position in that rank's program order.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/trace/event_extras.hpp"
#include "harness/trace/op.hpp"
#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri {

enum class EventState : std::uint8_t { unknown, scheduled, started, completed };

inline constexpr std::uint32_t kNoRequest = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kNoSymbol = 0;  // symbol 0 is the empty text

// 56 bytes. The rank is implied: events are kept rank by rank. `root` and `peer` are group ranks of `comm`.
struct Event {
  Op op = Op::barrier;
  ElementType dtype = ElementType::unknown;
  ReduceOp reduce = ReduceOp::unknown;
  EventState state : 4 = EventState::unknown;
  std::int8_t flag : 4 = -1;  // outcome of a test or iprobe: 0, 1, or -1 for not recorded
  std::int32_t comm = 0;      // index in Scenario::comms; 0 is the world
  std::int64_t count = kUnknownCount;
  std::int32_t peer = kUnset;
  std::int32_t tag = kUnset;  // a missing tag is 0: see tag_of
  std::int32_t root = kUnset;
  std::uint32_t seq = 0;  // local sequence number; rises strictly within a rank
  std::int32_t step = kUnset;
  std::int32_t microbatch = kUnset;
  std::uint32_t site = kNoSymbol;  // call site, a symbol of the scenario
  std::uint32_t request = kNoRequest;
  EventExtras extras;
};

inline std::int32_t tag_of(const Event& event) {
  return event.tag == kUnset ? 0 : event.tag;
}

}  // namespace petri

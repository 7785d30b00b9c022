// The bytes that a replay sends: the scenario's own where it has them, else a fixed pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/trace/event.hpp"

namespace petri {

using Bytes = std::vector<std::byte>;

// `elements` elements of `type` as rank `rank` sends them in this event: see kernels/cpu/payload.hpp.
Bytes payload_of(const Event& event, std::int32_t rank, ElementType type, std::size_t elements);

}  // namespace petri

// The numbers that an event says it sends.
#pragma once

#include "harness/trace/event.hpp"
#include "kernels/types/generator.hpp"

namespace petri {

// Inline values or a generator; where the event has neither, the pattern that a replay sends. A NumPy file is not read.
Payload payload_of(const Event& event);

// Does the event say what it sends?
inline bool has_payload(const Event& event) {
  return !event.extras.values().empty() || event.extras.fill().has_value();
}

}  // namespace petri

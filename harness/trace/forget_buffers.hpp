// What was recorded of an event's buffers.
#pragma once

#include "harness/trace/event.hpp"

namespace petri {

// Takes the digests and summaries of its input and result away: they are of other numbers than it has now, or there is
// nothing that they could be of.
void forget_buffers(Event& event);

}  // namespace petri

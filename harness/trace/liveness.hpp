// Whether a recorded process that did not say how it ended is still there.
#pragma once

#include "harness/trace/record_layout.hpp"

namespace petri {

enum class Liveness { alive, gone, unknown };

// `unknown` where the record is of another host, or of this one before it was started again: a process number means
// nothing there.
Liveness liveness_of(const record::Header& header);

}  // namespace petri

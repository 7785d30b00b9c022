// Digests and summaries of buffers, taken on request (PETRI_RECORD_DIGESTS=1).
#pragma once

#include "harness/record/recorder.hpp"

namespace petri::record {

// Digest and summary of a contiguous buffer. min, max, sum and norm (Euclidean) are over the values that are no NaN, in
// double precision; they are NaN for types without an order and for empty buffers.
void write_boundary(PartSlot& part, const OutBuffer& buffer);

}  // namespace petri::record

// The numbers that a rank contributes, in whatever type they are sent: one definition for what a replay sends and for
// what an order is evaluated on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/types/element_type.hpp"
#include "kernels/types/generator.hpp"

namespace petri::kernels {

// Elements [first, first + count) of `type` as rank `rank` has them: rounded to nearest, integers towards zero and kept
// within the type's range (NaN is its lower end), complex ones with imaginary part 0. Types without arithmetic of their
// own are filled as integers of their size; a type of unknown size as int32. `out` has room for them.
void write_payload(const Payload& payload, std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count,
                   std::byte* out);

}  // namespace petri::kernels

// The numbers that a rank contributes, in whatever type they are sent: one definition for what a replay sends and for
// what an order is evaluated on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/types/element_type.hpp"
#include "kernels/types/generator.hpp"

namespace petri::kernels {

// What numbers lose on their way into a type, where it is more than rounding.
struct ConversionLoss {
  std::uint64_t numbers = 0;   // that were written
  std::uint64_t cut = 0;       // in an integer type: a fraction went
  std::uint64_t bounded = 0;   // out of range: the nearer end of an integer type, or an infinity
  std::uint64_t nans = 0;      // in an integer type: a NaN became its lower end
  std::uint64_t vanished = 0;  // in a floating-point type: it was not zero, and is

  bool any() const { return cut + bounded + nans + vanished > 0; }
  void add(const ConversionLoss& other);
  bool operator==(const ConversionLoss&) const = default;
};

// Elements [first, first + count) of `type` as rank `rank` has them: rounded to nearest, integers towards zero and kept
// within the type's range (NaN is its lower end), complex ones with imaginary part 0. Negative numbers of an unsigned
// type have the bits of the signed one. Types without arithmetic of their own are filled as integers of their size; a
// type of unknown size as int32. `out` has room for them. What is lost is added to `loss`, for real and signed types.
void write_payload(const Payload& payload, std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count,
                   std::byte* out, ConversionLoss* loss = nullptr);

}  // namespace petri::kernels

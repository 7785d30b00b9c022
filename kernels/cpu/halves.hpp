// The fused multiply-add of halves: neither float32 nor float64 is wide enough for a first rounding of it to do no
// harm.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/element_types.hpp"

namespace petri::kernels {

template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 2, std::uint16_t, std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

// Of a value that is not representable the neighbour with the odd last bit: to round it again, to a type that is two
// bits narrower at least, is to round the exact value once (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
template <class T>
T to_odd(T nearest, bool exact, bool exact_is_above) {
  if (exact || (std::bit_cast<Bits<T>>(nearest) & 1) != 0 || !std::isfinite(nearest)) return nearest;
  const T infinity = std::numeric_limits<T>::infinity();
  return std::nextafter(nearest, exact_is_above ? infinity : -infinity);
}

// a·b + c, rounded once.
template <class T>
T fused_half(T a, T b, T c) {
  const double product = static_cast<double>(static_cast<float>(a)) * static_cast<double>(static_cast<float>(b));
  const auto addend = static_cast<double>(static_cast<float>(c));
  const double sum = product + addend;
  // The error of the sum (Knuth's two-sum), which is exact.
  const double part = sum - product;
  const double error = (product - (sum - part)) + (addend - part);
  const double odd = to_odd(sum, !(error != 0), error > 0);
  const auto narrow = static_cast<float>(odd);
  return static_cast<T>(to_odd(narrow, !(static_cast<double>(narrow) != odd), odd > static_cast<double>(narrow)));
}

}  // namespace petri::kernels

// What element.hpp does, for a type that is known to the compiler. Internal to compare.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "harness/compare/element.hpp"
#include "kernels/cpu/element_types.hpp"
#include "kernels/cpu/halves.hpp"

namespace petri::compare {

template <class T>
T load(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <class T>
bool is_nan_value(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return static_cast<bool>((Eigen::numext::isnan)(value));
}

template <class T>
double as_double(T value) {
  if constexpr (kernels::is_half<T>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

template <class T>
bool same_values(T one, T other) {
  return std::memcmp(&one, &other, sizeof(T)) == 0 || (is_nan_value(one) && is_nan_value(other));
}

// Rises with the value, by one from each value to the next.
template <class T>
std::int64_t place_in_order(T value) {
  if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    using Bits = kernels::Bits<T>;
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
    const auto bits = std::bit_cast<Bits>(value);
    const auto magnitude = static_cast<std::int64_t>(bits & static_cast<Bits>(~kSign));
    return (bits & kSign) != 0 ? -magnitude : magnitude;
  }
}

template <class T>
std::uint64_t ulps_between(T one, T other) {
  const bool nan = is_nan_value(one);
  if (nan != is_nan_value(other)) return kNoDistance;
  if (nan) return 0;
  const auto a = static_cast<std::uint64_t>(place_in_order(one));
  const auto b = static_cast<std::uint64_t>(place_in_order(other));
  const std::uint64_t distance = place_in_order(one) > place_in_order(other) ? a - b : b - a;
  return std::min(distance, kNoDistance - 1);
}

}  // namespace petri::compare

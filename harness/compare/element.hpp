// Single elements held against each other, in the types that kernels compute in (float16, bfloat16, float32, float64,
// int32, int64). Elements are where `one` and `other` point, aligned or not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "kernels/types/element_type.hpp"

namespace petri::compare {

// False for integers and for types that no kernel computes in.
bool is_nan(ElementType type, const std::byte* element);

// The shortest text that reads back to the same bits; "?" for other types.
std::string value_text(ElementType type, const std::byte* element);

// Equal bits; any NaN is the same as any other, and +0 is not the same as -0.
bool same(ElementType type, const std::byte* one, const std::byte* other);

// Between a NaN and a number.
inline constexpr std::uint64_t kNoDistance = std::numeric_limits<std::uint64_t>::max();

// What sets two values apart that are not the same.
enum class Contrast : std::uint8_t { size, sign_of_zero, infinity, nan };  // one is infinite, or both in two directions
Contrast contrast(ElementType type, const std::byte* one, const std::byte* other);

// Steps from one to the other through the values of the type in ascending order: units in the last place, where both
// have the same exponent. +0 and -0 are one value, infinity is the step after the largest number, and two NaN are no
// step apart. Of integers the difference, which between the least and the largest int64 is told as one less.
std::uint64_t ulps(ElementType type, const std::byte* one, const std::byte* other);

}  // namespace petri::compare

// The arithmetic of one reduction: how two operands are combined, in which type, and what happens before and after.
//
// Petri's own definition, the host twin of its device kernels: float16 and bfloat16 are rounded after each operation
// (to nearest, ties to even; a sum or product of two of them in float32 is exact enough for that single rounding to be
// the correct one), NaN in a min or max gives NaN, -0 is below +0 (IEEE 754-2019, 9.6, minimum and maximum), integers
// wrap. Libraries have their own definitions, which are other Arithmetics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::kernels {

// right[i] = left[i] op right[i], as MPI's user functions do (MPI 4.1, section 6.9.5). The sides may not overlap.
using Combine = void (*)(const void* left, void* right, std::size_t count);

// right[i] = left[i] · fl(1/ranks) + right[i] in one rounding.
using CombineScaled = void (*)(const void* left, void* right, std::size_t count, std::int32_t ranks);

// Elements of one type as those of another, rounded to nearest.
using Convert = void (*)(const void* from, void* to, std::size_t count);

struct Arithmetic {
  ElementType element = ElementType::float32;      // of contributions and of the result
  ElementType accumulator = ElementType::float32;  // of what is combined; equal to `element` unless a library widens
  Combine combine = nullptr;
  // An average multiplies by fl(1/ranks): each contribution before the first step, or the sum after the last one. Where
  // a compiler fuses the multiplication with the addition that follows, a contribution that is the left side of its
  // step takes part through `combine_scaled`, and all others are scaled before.
  enum class Scale : unsigned char { none, before, after, fused } scale = Scale::none;
  CombineScaled combine_scaled = nullptr;
  // A library's vector body and its scalar tail may differ (in which NaN or zero they keep): in each call of its
  // operation, what does not fill a vector of `lanes` elements is left to `tail`. Null: there is no difference.
  Combine tail = nullptr;
  std::size_t lanes = 1;
};

// Petri's own arithmetic for float16, bfloat16, float32, float64, int32 and int64 with sum, prod, min, max and avg (an
// average scales the sum afterwards); nothing for other types and operations. With `accumulator`, operands are widened
// to that type, and the result alone is rounded back.
std::optional<Arithmetic> arithmetic(ElementType element, ReduceOp op,
                                     std::optional<ElementType> accumulator = std::nullopt);

// Between the types above; null where there is no such conversion.
Convert conversion(ElementType from, ElementType to);

// data[i] = data[i] · fl(1/ranks) in `type`; integers are divided, towards zero.
void scale(ElementType type, void* data, std::size_t count, std::int32_t ranks);

}  // namespace petri::kernels

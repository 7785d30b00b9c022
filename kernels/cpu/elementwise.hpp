// What the arithmetics of different libraries have in common: two vectors combined element by element. Internal to
// kernels/cpu.
#pragma once

#include <cstddef>
#include <type_traits>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/cpu/element_types.hpp"

namespace petri::kernels {

// What halves are added, multiplied and compared in: wide enough for a second rounding to do no harm.
template <class T>
using Wide = std::conditional_t<is_half<T>, float, T>;

// Integers wrap as unsigned ones do: overflow of signed ones has no meaning in C++. Halves are rounded once.
template <class T, class F>
T computed(T left, T right, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(f(static_cast<U>(left), static_cast<U>(right)));
  } else {
    return static_cast<T>(f(static_cast<Wide<T>>(left), static_cast<Wide<T>>(right)));
  }
}

// `Op::of(left, right)` for each pair, into the right side.
template <class T, class Op>
void combine_all(const void* left, void* right, std::size_t count) {
  const T* a = static_cast<const T*>(left);
  T* b = static_cast<T*>(right);
  for (std::size_t i = 0; i < count; ++i) b[i] = Op::of(a[i], b[i]);
}

// The operation that an average makes of its contributions is the sum.
template <class T, class Sum, class Product, class Min, class Max>
Combine combine_of(ReduceOp op) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg: return combine_all<T, Sum>;
    case ReduceOp::prod: return combine_all<T, Product>;
    case ReduceOp::min: return combine_all<T, Min>;
    case ReduceOp::max: return combine_all<T, Max>;
    default: return nullptr;
  }
}

}  // namespace petri::kernels

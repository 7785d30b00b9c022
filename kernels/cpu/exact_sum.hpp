// The exact sum of floating-point numbers, rounded once, at the end: the reference for all other sums, and, since the
// value does not depend on how it was found, the reproducible one.
//
// - Bits: the real sum of the elements rounded to nearest, ties to even, into T. So they are the same for any order,
//   grouping, number of ranks and threads, and any width of vectors; the error is at most half a unit in the last place
//   of the result, whatever the condition of the data. Determinism::order_invariant.
// - Intermediate sums do not overflow: the result is infinite only where the real sum rounds to infinity.
// - A NaN among the elements, or infinities of both signs, give the quiet NaN with no sign and no payload; infinities
//   of one sign give that infinity.
// - Zero: the sum of nothing is +0, that of elements which are all -0 is -0, any other zero sum is +0 (IEEE 754-2019,
//   sections 6.3 and 9.4).
// - Subnormal elements and results count in full, also while the caller's thread flushes them (float_environment.hpp).
//
// Up to 2^63 elements can be added. Adding takes a few instructions more than a plain vectorized sum where the
// magnitudes of each few thousand elements lie within about 2^120 of one another, and a scalar loop where they do not.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "kernels/cpu/fixed_point.hpp"

namespace petri::kernels {

// A sum under way. It is a plain value without padding: its bytes may be sent and stored, and two of them that were
// made from the same elements, in whatever order and grouping, have equal bytes. For float, double, Eigen::half and
// Eigen::bfloat16.
template <class T>
class ExactSum {
 public:
  void add(T element) { add(std::span<const T>(&element, 1)); }
  void add(std::span<const T> elements);

  // Commutative and associative, to the bit.
  void add(const ExactSum& other);

  T rounded() const { return rounded_to<T>(); }

  // Rounded once to another of the types above.
  template <class U>
  U rounded_to() const;

  friend bool operator==(const ExactSum&, const ExactSum&) = default;

 private:
  // The elements' kind so far: the larger one wins, but for infinities of two signs, which make a NaN.
  enum Content : std::uint64_t { nothing, minus_zeros, numbers, plus_infinity, minus_infinity, not_a_number };

  // What the vector instructions work on.
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int kLastBit = std::is_same_v<T, double> ? -1074 : -149;
  // From the last bit to 2^63 times the largest number of the type, and a sign.
  using Sum = FixedPoint<std::is_same_v<T, double> ? 34 : 6>;

  void add_wide(std::span<const Wide> elements);
  void add_blocks(const Wide* elements, std::size_t count);
  void add_scalars(const Wide* elements, std::size_t count);
  void note(Content content);

  Sum sum_;  // in units of 2^kLastBit; zero unless the content is `numbers`
  std::uint64_t content_ = nothing;
};

static_assert(std::is_trivially_copyable_v<ExactSum<double>> && sizeof(ExactSum<double>) == 280);
static_assert(std::is_trivially_copyable_v<ExactSum<float>> && sizeof(ExactSum<float>) == 56);

// No cheaper definition of a reproducible sum was found: a sum over bins of fixed exponents (Demmel and Nguyen,
// "Fast reproducible floating-point summation", ARITH 2013) takes more instructions an element than an error-free one
// that is checked, and its bound is worse.
template <class T>
using ReproducibleSum = ExactSum<T>;

}  // namespace petri::kernels

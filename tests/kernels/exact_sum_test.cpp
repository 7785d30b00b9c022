// The exact sum against GNU MPFR: PETRI_SUM_CASES cases for each of float and double, fewer for the half types.
#include "kernels/cpu/exact_sum.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/float_environment.hpp"
#include "kernels/cpu/simd.hpp"
#include "tests/kernels/sum_cases.hpp"

namespace petri::kernels {
namespace {

template <class T>
T exact(std::span<const T> elements) {
  ExactSum<T> sum;
  sum.add(elements);
  return sum.rounded();
}
template <class T>
T exact(std::initializer_list<T> elements) {
  return exact(std::span<const T>(elements.begin(), elements.size()));
}

template <class T>
class ExactSumOf : public testing::Test {};
using Types = testing::Types<float, double, Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(ExactSumOf, Types);

template <class T>
T reference(std::span<const T> elements, T& as_zero) {
  RealSum sum;
  bool all_minus_zero = !elements.empty();
  for (const T x : elements) {
    sum.add(static_cast<double>(x));
    all_minus_zero = all_minus_zero && bits(x) == bits(-T(0));
  }
  EXPECT_FALSE(sum.inexact());
  as_zero = all_minus_zero ? -T(0) : T(0);
  return sum.rounded<T>();
}

template <class T>
void expect_correct(std::span<const T> elements, const std::string& what) {
  T zero;
  const T expected = reference(elements, zero), actual = exact(elements);
  ASSERT_EQ(bits(actual), bits(static_cast<double>(expected) == 0 ? zero : expected))
      << what << ": " << static_cast<double>(actual) << " is not " << static_cast<double>(expected);
}

TYPED_TEST(ExactSumOf, hard_cases_is_correctly_rounded) {
  using T = TypeParam;
  SumCases<T> cases(42);
  const int count = sizeof(T) == 2 ? PETRI_SUM_CASES / 10 : PETRI_SUM_CASES;
  for (int i = 0; i < count; ++i) {
    const int kind = i % SumCases<T>::kKinds;
    std::vector<T> elements = cases.next(cases.length() + 1, kind);
    // At any alignment: from the second element on.
    expect_correct(std::span<const T>(elements).subspan(1), "case " + std::to_string(i));
    if (this->HasFatalFailure()) return;
  }
}

// The ends of blocks, and blocks whose windows differ.
TYPED_TEST(ExactSumOf, long_arrays_is_correctly_rounded) {
  using T = TypeParam;
  SumCases<T> cases(43);
  for (const std::size_t length : {4095U, 4096U, 4097U, 8191U, 12288U, 20001U})
    for (int kind = 0; kind < SumCases<T>::kKinds; ++kind) {
      std::vector<T> elements = cases.next(length, kind);
      const std::vector<T> others = cases.next(length, cases.between(0, SumCases<T>::kKinds - 1));
      elements.insert(elements.end(), others.begin(), others.end());
      expect_correct<T>(elements, std::to_string(length) + " of kind " + std::to_string(kind));
    }
}

TYPED_TEST(ExactSumOf, hard_cases_has_the_same_bits_with_all_vector_instructions) {
  using T = TypeParam;
  const std::vector<std::string> names = simd_names();
  ASSERT_GE(names.size(), 2U);
  SumCases<T> cases(44);
  for (int i = 0; i < 200; ++i) {
    const std::vector<T> elements = cases.next(static_cast<std::size_t>(cases.between(0, 6000)), i % 10);
    for (const std::string& name : names) {
      const ForcedSimd forced(name);
      expect_correct<T>(elements, name);
    }
  }
}

TYPED_TEST(ExactSumOf, zeros_is_minus_zero_only_where_all_are) {
  using T = TypeParam;
  const T plus = T(0), minus = -T(0), one = T(1);
  EXPECT_EQ(bits(exact<T>({})), bits(plus));
  EXPECT_EQ(bits(exact<T>({minus, minus})), bits(minus));
  EXPECT_EQ(bits(exact<T>({minus, plus})), bits(plus));
  EXPECT_EQ(bits(exact<T>({one, -one})), bits(plus));
  const std::vector<T> many(10000, minus);
  EXPECT_EQ(bits(exact<T>(many)), bits(minus));
}

TYPED_TEST(ExactSumOf, special_values_is_what_ieee_says) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), one = T(1);
  const T largest = std::numeric_limits<T>::max();
  EXPECT_EQ(bits(exact<T>({one, infinity, one})), bits(infinity));
  EXPECT_EQ(bits(exact<T>({-infinity, largest})), bits(-infinity));
  const auto the_nan = bits(exact<T>({infinity, -infinity}));
  EXPECT_TRUE((Eigen::numext::isnan)(Eigen::numext::bit_cast<T>(the_nan)));
  EXPECT_EQ(the_nan & bits(-T(0)), 0);
  EXPECT_EQ(bits(exact<T>({one, nan})), the_nan);
  EXPECT_EQ(bits(exact<T>({-infinity, -nan})), the_nan);
  std::vector<T> many(9000, one);
  many[4100] = infinity;
  EXPECT_EQ(bits(exact<T>(many)), bits(infinity));
  many[8999] = -infinity;
  EXPECT_EQ(bits(exact<T>(many)), the_nan);
}

TYPED_TEST(ExactSumOf, large_numbers_does_not_overflow_on_the_way) {
  using T = TypeParam;
  const T largest = std::numeric_limits<T>::max(), infinity = std::numeric_limits<T>::infinity();
  std::vector<T> elements(5000, largest);
  EXPECT_EQ(bits(exact<T>(elements)), bits(infinity));
  elements.insert(elements.end(), 4999, -largest);
  EXPECT_EQ(bits(exact<T>(elements)), bits(largest));
}

TEST(ExactSum, rounds_to_other_types_once) {
  ExactSum<double> sum;
  sum.add(1.0);
  sum.add(0x1p-24);  // half a unit in the last place of 1 as a float
  EXPECT_EQ(sum.rounded_to<float>(), 1.0F);
  sum.add(0x1p-200);
  EXPECT_EQ(sum.rounded(), 1 + 0x1p-24);
  EXPECT_EQ(sum.rounded_to<float>(), 1 + 0x1p-23F);
  ExactSum<float> of_floats;
  of_floats.add(0x1p-149F);
  of_floats.add(1.0F);
  of_floats.add(-1.0F);
  EXPECT_EQ(of_floats.rounded_to<double>(), 0x1p-149);
  EXPECT_EQ(bits(of_floats.rounded_to<Eigen::half>()), 0);
}

TEST(ExactSum, does_not_depend_on_rounding_mode_or_flush_to_zero) {
  const std::vector<double> subnormals(5000, std::numeric_limits<double>::denorm_min());
  SumCases<double> cases(45);
  const std::vector<double> elements = cases.next(9000, 1);
  const double expected = exact<double>(elements);
  using Rounding = FloatEnvironment::Rounding;
  for (const Rounding rounding : {Rounding::to_nearest, Rounding::downward, Rounding::upward, Rounding::towards_zero}) {
    const FloatEnvironment environment{rounding, true, true};
    const ScopedFloatEnvironment scope(environment);
    const auto of_subnormals = bits(exact<double>(subnormals)), of_elements = bits(exact<double>(elements));
    EXPECT_EQ(FloatEnvironment::current(), environment);
    EXPECT_EQ(of_subnormals, 5000U);
    EXPECT_EQ(of_elements, bits(expected));
  }
}

TEST(FloatEnvironment, is_set_and_put_back) {
  volatile double tiny = std::numeric_limits<double>::min();
  ASSERT_EQ(FloatEnvironment::current(), FloatEnvironment{});
  {
    const ScopedFloatEnvironment scope({FloatEnvironment::Rounding::upward, true, true});
    EXPECT_EQ(tiny / 2, 0);
    EXPECT_EQ(to_string(FloatEnvironment::current()), "upward, flush-results, flush-operands");
  }
  EXPECT_GT(tiny / 2, 0);
  EXPECT_EQ(to_string(FloatEnvironment::current()), "to-nearest");
}

}  // namespace
}  // namespace petri::kernels

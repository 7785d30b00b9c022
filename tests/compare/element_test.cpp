#include "harness/compare/element.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <cstring>
#include <limits>

namespace petri::compare {
namespace {

template <class T>
const std::byte* bytes(const T& value) {
  return reinterpret_cast<const std::byte*>(&value);
}

template <class T>
std::uint64_t distance(ElementType type, T one, T other) {
  const std::uint64_t there = ulps(type, bytes(one), bytes(other));
  EXPECT_EQ(there, ulps(type, bytes(other), bytes(one)));
  return there;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

TEST(Ulps, AreStepsThroughTheValuesOfTheType) {
  EXPECT_EQ(distance(ElementType::float32, 1.0F, 1.0F), 0U);
  EXPECT_EQ(distance(ElementType::float32, 1.0F, 1.0F + 0x1p-23F), 1U);
  EXPECT_EQ(distance(ElementType::float32, 1.0F, 2.0F), 1U << 23);
  EXPECT_EQ(distance(ElementType::float64, 1.0, 1.0 - 0x1p-53), 1U);
  EXPECT_EQ(distance(ElementType::float64, 1.0, 2.0), std::uint64_t{1} << 52);
  EXPECT_EQ(distance(ElementType::float16, Eigen::half(1.0F), Eigen::half(2.0F)), 1U << 10);
  EXPECT_EQ(distance(ElementType::bfloat16, Eigen::bfloat16(1.0F), Eigen::bfloat16(2.0F)), 1U << 7);
}

TEST(Ulps, CrossZeroBySubnormals) {
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(distance(ElementType::float32, -least, least), 2U);
  EXPECT_EQ(distance(ElementType::float32, 0.0F, -0.0F), 0U);
  EXPECT_EQ(distance(ElementType::float32, -0.0F, least), 1U);
}

TEST(Ulps, ReachInfinityOneStepBeyondTheLargestNumber) {
  EXPECT_EQ(distance(ElementType::float32, std::numeric_limits<float>::max(), kInfinity), 1U);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(distance(ElementType::float64, -infinity, infinity), 2 * std::uint64_t{0x7ff0000000000000});
}

TEST(Ulps, HaveNoDistanceBetweenNaNAndANumber) {
  EXPECT_EQ(distance(ElementType::float32, kNaN, 1.0F), kNoDistance);
  EXPECT_EQ(distance(ElementType::float32, kNaN, kInfinity), kNoDistance);
  EXPECT_EQ(distance(ElementType::float32, kNaN, -kNaN), 0U);
}

TEST(Ulps, OfIntegersAreTheirDifference) {
  EXPECT_EQ(distance<std::int32_t>(ElementType::int32, -3, 4), 7U);
  EXPECT_EQ(distance<std::int32_t>(ElementType::int32, INT32_MIN, INT32_MAX), 0xffffffffU);
  EXPECT_EQ(distance<std::int64_t>(ElementType::int64, INT64_MIN, INT64_MAX), kNoDistance - 1);
}

TEST(Same, IsEqualBitsOrTwoNaNs) {
  const float payload = std::nanf("7"), plus = 0.0F, minus = -0.0F, one = 1.0F;
  EXPECT_TRUE(same(ElementType::float32, bytes(kNaN), bytes(payload)));
  EXPECT_FALSE(same(ElementType::float32, bytes(plus), bytes(minus)));
  EXPECT_FALSE(same(ElementType::float32, bytes(kNaN), bytes(one)));
  const std::int32_t a = 0x7fc00000, b = 0x7fc00001;  // NaNs, were they floats
  EXPECT_FALSE(same(ElementType::int32, bytes(a), bytes(b)));
}

TEST(ValueText, ReadsBackToTheSameBits) {
  const float third = 1.0F / 3.0F, minus = -0.0F;
  const double tenth = 0.1;
  const Eigen::half half(0.5F);
  EXPECT_EQ(value_text(ElementType::float32, bytes(third)), "0.33333334");
  EXPECT_EQ(value_text(ElementType::float32, bytes(minus)), "-0");
  EXPECT_EQ(value_text(ElementType::float32, bytes(kNaN)), "nan");
  EXPECT_EQ(value_text(ElementType::float64, bytes(tenth)), "0.1");
  EXPECT_EQ(value_text(ElementType::float16, bytes(half)), "0.5");
}

}  // namespace
}  // namespace petri::compare

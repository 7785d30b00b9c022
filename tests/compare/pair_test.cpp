#include "harness/compare/pair.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace petri::compare {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kNext = 1.0F + 0x1p-23F;  // after 1

template <class T>
const std::byte* bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

PairStatistics pair(const std::vector<float>& one, const std::vector<float>& other, const Tolerance& tolerance = {}) {
  PairStatistics statistics;
  statistics.add(ElementType::float32, tolerance, 0, bytes(one), bytes(other), one.size());
  return statistics;
}

TEST(PairStatistics, OfTheSameBitsFindNothing) {
  const auto found = pair({1, -0.0F, kNaN, kInfinity}, {1, -0.0F, -kNaN, kInfinity});
  EXPECT_EQ(found.elements(), 4U);
  EXPECT_EQ(found.differing(), 0U);
  EXPECT_EQ(found.beyond(), 0U);
  EXPECT_EQ(found.first(), std::nullopt);
  EXPECT_EQ(found.ulps().most(), 0U);
}

TEST(PairStatistics, TellTheFirstAndTheWidestDifference) {
  const auto found = pair({1, 1, 8, 1}, {1, kNext, 4, kNext});
  EXPECT_EQ(found.differing(), 3U);
  EXPECT_EQ(found.first(), (ElementPair{1, "1", "1.0000001"}));
  EXPECT_EQ(found.widest(), (ElementPair{2, "8", "4"}));
  EXPECT_EQ(found.ulps().most(), 1U << 23);
  EXPECT_EQ(found.most_absolute(), 4.0);
  EXPECT_EQ(found.most_relative(), 0.5);
}

TEST(PairStatistics, TellZerosOfTwoSignsAndLoneNaNsApart) {
  const auto found = pair({0.0F, kNaN, 2}, {-0.0F, 1, kInfinity});
  EXPECT_EQ(found.differing(), 3U);
  EXPECT_EQ(found.signed_zeros(), 1U);
  EXPECT_EQ(found.lone_nans(), 1U);
  EXPECT_EQ(found.most_absolute(), static_cast<double>(kInfinity));
}

TEST(PairStatistics, TakeAnyBoundThatHolds) {
  const std::vector<float> one{0.0F, 1, 100, 1, kNaN, kInfinity}, other{-0.0F, kNext, 101, 3, 1, -kInfinity};
  EXPECT_EQ(pair(one, other).beyond(), 6U);
  EXPECT_EQ(pair(one, other, {.absolute = 0.5}).beyond(), 4U);
  EXPECT_EQ(pair(one, other, {.absolute = 1}).beyond(), 3U);
  EXPECT_EQ(pair(one, other, {.relative = 0.01}).beyond(), 3U);
  EXPECT_EQ(pair(one, other, {.ulps = 1}).beyond(), 4U);
  EXPECT_EQ(pair(one, other, {.ulps = 0}).beyond(), 5U);
  EXPECT_EQ(pair(one, other, {.absolute = 2, .ulps = 1}).beyond(), 2U);
  const auto found = pair(one, other, {.relative = 0.01});
  EXPECT_EQ(found.first(), (ElementPair{0, "0", "-0"}));
  EXPECT_EQ(found.first_beyond(), (ElementPair{3, "1", "3"}));
}

TEST(PairStatistics, OfIntegersDoNotOverflow) {
  const std::vector<std::int64_t> one{INT64_MIN, 5}, other{INT64_MAX, 3};
  PairStatistics found;
  found.add(ElementType::int64, {.absolute = 2}, 0, bytes(one), bytes(other), 2);
  EXPECT_EQ(found.differing(), 2U);
  EXPECT_EQ(found.beyond(), 1U);
  EXPECT_EQ(found.most_absolute(), 0x1p64);
}

TEST(PairStatistics, OfPiecesInAnyOrderAreThoseOfTheWhole) {
  const std::vector<float> one{1, 1, 2, 1, 4}, other{1, kNext, 4, 1, 8};
  const auto whole = pair(one, other);
  PairStatistics pieces;
  for (const std::size_t first : {4, 2, 3, 0, 1})
    pieces.add(ElementType::float32, {}, first, bytes(one) + first * 4, bytes(other) + first * 4, 1);
  EXPECT_EQ(pieces.first(), whole.first());
  EXPECT_EQ(pieces.widest(), whole.widest());
  EXPECT_EQ(pieces.differing(), whole.differing());
  EXPECT_EQ(pieces.ulps().octaves(), whole.ulps().octaves());
}

TEST(Tolerance, IsToldInWords) {
  EXPECT_EQ(text_of({}), "bit by bit");
  EXPECT_EQ(text_of({.relative = 1e-6, .ulps = 1}), "within 1e-06 relative or 1 ULP");
}

}  // namespace
}  // namespace petri::compare

#include "harness/compare/ulp_histogram.hpp"

#include <gtest/gtest.h>

#include "harness/compare/element.hpp"

namespace petri::compare {
namespace {

using Octaves = std::vector<UlpHistogram::Octave>;

TEST(UlpHistogram, OfNothingIsZeroEverywhere) {
  const UlpHistogram none;
  EXPECT_EQ(none.count(), 0U);
  EXPECT_EQ(none.quantile(0.5), 0U);
  EXPECT_EQ(none.octaves(), Octaves{});
}

TEST(UlpHistogram, HasExactQuantilesOfSmallDistances) {
  UlpHistogram histogram;
  for (std::uint64_t distance = 0; distance < 50; ++distance) histogram.add(distance);
  EXPECT_EQ(histogram.quantile(0.0), 0U);
  EXPECT_EQ(histogram.quantile(0.5), 24U);
  EXPECT_EQ(histogram.quantile(0.9), 44U);
  EXPECT_EQ(histogram.quantile(1.0), 49U);
}

TEST(UlpHistogram, HasQuantilesOfLargeDistancesToOneInThirtyTwo) {
  for (const std::uint64_t distance : {std::uint64_t{63}, std::uint64_t{64}, std::uint64_t{127}, std::uint64_t{128},
                                       std::uint64_t{1000003}, kNoDistance / 2, kNoDistance - 1}) {
    UlpHistogram histogram;
    histogram.add(distance);
    histogram.add(kNoDistance);
    const std::uint64_t told = histogram.quantile(0.5);
    EXPECT_GE(told, distance);
    EXPECT_LE(static_cast<double>(told), static_cast<double>(distance) * (1 + 1.0 / 32));
  }
}

TEST(UlpHistogram, CountsByPowersOfTwo) {
  UlpHistogram histogram;
  for (const std::uint64_t distance : {0, 0, 1, 2, 3, 4, 7, 64, 127, 128}) histogram.add(distance);
  histogram.add(kNoDistance);
  EXPECT_EQ(
      histogram.octaves(),
      (Octaves{
          {0, 0, 2}, {1, 1, 1}, {2, 3, 2}, {4, 7, 2}, {64, 127, 2}, {128, 255, 1}, {kNoDistance, kNoDistance, 1}}));
  EXPECT_EQ(histogram.most(), kNoDistance);
  EXPECT_EQ(histogram.quantile(1.0), kNoDistance);
}

TEST(UlpHistogram, OfPartsIsThatOfTheWhole) {
  UlpHistogram whole, one, other;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    whole.add(i * i);
    (i % 3 == 0 ? one : other).add(i * i);
  }
  one.add(other);
  EXPECT_EQ(one.octaves(), whole.octaves());
  EXPECT_EQ(one.quantile(0.99), whole.quantile(0.99));
  EXPECT_EQ(one.most(), whole.most());
}

}  // namespace
}  // namespace petri::compare

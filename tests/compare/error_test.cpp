#include "harness/compare/error.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "harness/compare/element.hpp"

namespace petri::compare {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <class T>
const std::byte* bytes(const std::vector<T>& values) {
  return reinterpret_cast<const std::byte*>(values.data());
}

// Of the columns of three contributions each.
std::unique_ptr<ExactColumns> columns_of_three(const std::vector<float>& columns, ReduceOp op = ReduceOp::sum) {
  auto exact = exact_columns(ElementType::float32, op);
  exact->take(bytes(columns), 3, columns.size() / 3);
  return exact;
}

ErrorStatistics errors(const ExactColumns& exact, const std::vector<float>& results) {
  ErrorStatistics statistics;
  statistics.add(ElementType::float32, exact, 0, bytes(results), results.size());
  return statistics;
}

TEST(ExactColumns, OfASumAreTheRealSumRoundedOnce) {
  const auto exact = columns_of_three({1e8F, 1, -1e8F, 1, 2, 3});
  EXPECT_EQ(value_text(ElementType::float32, exact->rounded()), "1");
  EXPECT_EQ(value_text(ElementType::float32, exact->rounded() + 4), "6");
  EXPECT_EQ(exact->magnitude(0), 2e8 + 1);
}

TEST(ExactColumns, TellTheErrorWithoutRoundingTheSumFirst) {
  // The sum is 1 + 2^-24, no float32: half an ULP off on either side.
  const auto exact = columns_of_three({1, 0x1p-24F, 0});
  const float below = 1, above = 1 + 0x1p-23F;
  EXPECT_EQ(exact->error_of(0, reinterpret_cast<const std::byte*>(&below)), 0x1p-24);
  EXPECT_EQ(exact->error_of(0, reinterpret_cast<const std::byte*>(&above)), 0x1p-24);
}

TEST(ExactColumns, OfAnAverageAndAMaximum) {
  EXPECT_EQ(value_text(ElementType::float32, columns_of_three({1, 2, 6}, ReduceOp::avg)->rounded()), "3");
  EXPECT_EQ(value_text(ElementType::float32, columns_of_three({1, 7, 6}, ReduceOp::max)->rounded()), "7");
  EXPECT_EQ(exact_columns(ElementType::float32, ReduceOp::prod), nullptr);
  EXPECT_EQ(exact_columns(ElementType::int8, ReduceOp::sum), nullptr);
}

TEST(ExactColumns, OfIntegersWrap) {
  auto exact = exact_columns(ElementType::int32, ReduceOp::sum);
  const std::vector<std::int32_t> column{INT32_MAX, 1};
  exact->take(bytes(column), 2, 1);
  EXPECT_EQ(value_text(ElementType::int32, exact->rounded()), "-2147483648");
}

TEST(ErrorStatistics, AreThoseOfTheElements) {
  const auto exact = columns_of_three({1, 1, 2, 1e8F, 1, -1e8F, 2, 2, 4});
  const auto found = errors(*exact, {4, 0, 10});
  EXPECT_EQ(found.most_absolute(), 2);
  EXPECT_EQ(found.most_relative(), 1);
  EXPECT_EQ(found.most_relative_at(), 1U);
  EXPECT_DOUBLE_EQ(found.norm_relative(), std::sqrt(5.0 / 81));
  EXPECT_DOUBLE_EQ(found.most_roundings(), 0.25 * 0x1p24);  // of the third element: 2 of 8
  EXPECT_EQ(found.ulps().most(), 0x3f800000U);              // from 0 to 1
  EXPECT_EQ(found.nans(), 0U);
}

TEST(ErrorStatistics, CountNaNsApart) {
  const auto exact = columns_of_three({kNaN, 1, 1, 1, 1, 1, kInfinity, 1, 1});
  const auto found = errors(*exact, {1, kNaN, kInfinity});
  EXPECT_EQ(found.nans(), 2U);
  EXPECT_EQ(found.most_absolute(), 0);
  EXPECT_EQ(errors(*exact, {kNaN, 3, 1}).most_absolute(), static_cast<double>(kInfinity));
}

TEST(Conditions, AreTheGrowthOfRelativeErrors) {
  Conditions conditions;
  conditions.add(*columns_of_three({1, 1, 2, 3, -1, 0, 0, 0, 0}), 3);
  EXPECT_EQ(conditions.most(), 2);
  EXPECT_EQ(conditions.quantile(0.5), 1);
  conditions.add(*columns_of_three({1, -1, 0}), 1);
  EXPECT_EQ(conditions.most(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(conditions.quantile(0.75), 2);
}

}  // namespace
}  // namespace petri::compare

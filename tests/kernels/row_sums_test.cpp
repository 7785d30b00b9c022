// Exact sums of columns: with the bits of ExactSum, for any order of rows.
#include "kernels/cpu/row_sums.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/cpu/float_environment.hpp"
#include "kernels/cpu/simd.hpp"
#include "tests/kernels/sum_cases.hpp"

namespace petri::kernels {
namespace {

template <class T>
std::vector<T> summed(const std::vector<std::vector<T>>& rows, std::size_t count) {
  std::vector<const T*> pointers;
  for (const auto& row : rows) pointers.push_back(row.data());
  std::vector<T> result(count);
  exact_sum_rows<T>(pointers, count, result.data());
  return result;
}

template <class T>
void expect_exact(const std::vector<std::vector<T>>& rows, const std::vector<T>& result, const std::string& what) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    ExactSum<T> column;
    for (const auto& row : rows) column.add(row[i]);
    ASSERT_EQ(bits(result[i]), bits(column.rounded())) << what << ", column " << i << " of " << rows.size() << " rows";
  }
}

template <class T>
class RowSumsOf : public testing::Test {};
using Types = testing::Types<float, double, Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(RowSumsOf, Types);

TYPED_TEST(RowSumsOf, all_kinds_has_the_bits_of_exact_sums_whatever_the_order_of_rows) {
  using T = TypeParam;
  SumCases<T> cases(31);
  for (const std::string& name : simd_names()) {
    const ForcedSimd forced(name);
    for (int kind = 0; kind < SumCases<T>::kKinds; ++kind)
      for (const std::size_t row_count : {1U, 2U, 3U, 8U, 17U}) {
        const std::size_t count = 203;
        std::vector<std::vector<T>> rows;
        for (std::size_t r = 0; r < row_count; ++r) rows.push_back(cases.next(count + 4, kind));  // ties adds up to 3
        const std::vector<T> result = summed(rows, count);
        expect_exact(rows, result, name + ", kind " + std::to_string(kind));
        std::shuffle(rows.begin(), rows.end(), cases.chance());
        const std::vector<T> again = summed(rows, count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(bits(again[i]), bits(result[i]));
      }
  }
}

// Columns that cancel across rows, where a rounded sum keeps nothing.
TYPED_TEST(RowSumsOf, cancelling_columns_is_exact) {
  using T = TypeParam;
  SumCases<T> cases(32);
  std::vector<std::vector<T>> rows;
  for (int r = 0; r < 4; ++r) {
    rows.push_back(cases.next(500, r % 2 == 0 ? 2 : 1));
    rows.push_back(rows.back());
    for (T& x : rows.back()) x = -x;
  }
  rows.push_back(cases.next(500, 6));
  expect_exact(rows, summed(rows, 500), "cancelling");
}

TYPED_TEST(RowSumsOf, special_values_and_zeros_is_that_of_exact_sums) {
  using T = TypeParam;
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN(), zero = T(0);
  const T largest = std::numeric_limits<T>::max();
  const std::vector<T> values{zero, -zero, infinity, -infinity, nan, largest, -largest, T(1)};
  std::vector<std::vector<T>> rows(3);
  for (const T a : values)
    for (const T b : values)
      for (const T c : values) {
        rows[0].push_back(a);
        rows[1].push_back(b);
        rows[2].push_back(c);
      }
  for (; !rows.empty(); rows.pop_back()) expect_exact(rows, summed(rows, rows[0].size()), "special values");
}

TYPED_TEST(RowSumsOf, result_in_place_of_a_row_is_the_same) {
  using T = TypeParam;
  SumCases<T> cases(33);
  std::vector<std::vector<T>> rows{cases.next(100, 0), cases.next(100, 1), cases.next(100, 2)};
  const std::vector<T> expected = summed(rows, 100);
  const std::vector<const T*> pointers{rows[0].data(), rows[1].data(), rows[2].data()};
  exact_sum_rows<T>(pointers, 100, rows[1].data());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(bits(rows[1][i]), bits(expected[i]));
}

TEST(RowSums, do_not_depend_on_flush_to_zero) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<std::vector<double>> rows(3, std::vector<double>(20, tiny));
  const ScopedFloatEnvironment scope({FloatEnvironment::Rounding::upward, true, true});
  const std::vector<double> result = summed(rows, 20);
  for (const double x : result) EXPECT_EQ(bits(x), 3U);
}

TEST(RowSums, of_no_rows_are_zero_and_integers_wrap) {
  EXPECT_EQ(summed<double>({}, 2), (std::vector<double>{0, 0}));
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(summed<std::int32_t>({{largest, 1}, {1, 2}}, 2),
            (std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::min(), 3}));
}

}  // namespace
}  // namespace petri::kernels

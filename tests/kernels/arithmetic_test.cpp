// One operation on two operands, for each type.
#include "kernels/cpu/arithmetic.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/element_types.hpp"

namespace petri::kernels {
namespace {

template <class T>
T combined(ElementType type, ReduceOp op, T left, T right) {
  arithmetic(type, op)->combine(&left, &right, 1);
  return right;
}

TEST(Arithmetic, integers_wrap) {
  constexpr auto big = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(combined<std::int32_t>(ElementType::int32, ReduceOp::sum, big, 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(combined<std::int64_t>(ElementType::int64, ReduceOp::prod, -3, 5), -15);
  EXPECT_EQ(combined<std::int64_t>(ElementType::int64, ReduceOp::min, -3, 5), -3);
  EXPECT_EQ(combined<std::int32_t>(ElementType::int32, ReduceOp::max, -3, 5), 5);
}

// Every pair of a few thousand: the sum in double is exact, and rounding it once is the definition.
template <class T>
void expect_rounded_once(ElementType type) {
  for (std::uint32_t a = 0; a < 65536; a += 97)
    for (std::uint32_t b = 0; b < 65536; b += 101) {
      const T x = Eigen::numext::bit_cast<T>(static_cast<std::uint16_t>(a));
      const T y = Eigen::numext::bit_cast<T>(static_cast<std::uint16_t>(b));
      const double exact = static_cast<double>(static_cast<float>(x)) + static_cast<double>(static_cast<float>(y));
      const T sum = combined(type, ReduceOp::sum, x, y);
      if (std::isnan(exact)) {
        ASSERT_TRUE((Eigen::numext::isnan)(sum));
      } else {
        // No neighbour of the result is nearer to the exact sum.
        const auto bits = Eigen::numext::bit_cast<std::uint16_t>(sum);
        const double error = std::abs(static_cast<double>(static_cast<float>(sum)) - exact);
        if (std::isinf(static_cast<float>(sum))) continue;
        for (const int step : {-1, 1}) {
          const T other = Eigen::numext::bit_cast<T>(static_cast<std::uint16_t>(bits + step));
          const double other_error = std::abs(static_cast<double>(static_cast<float>(other)) - exact);
          if (std::isnan(other_error)) continue;
          ASSERT_LE(error, other_error) << a << " + " << b;
        }
      }
    }
}

TEST(Arithmetic, halves_are_rounded_to_the_nearest) {
  expect_rounded_once<Eigen::half>(ElementType::float16);
  expect_rounded_once<Eigen::bfloat16>(ElementType::bfloat16);
}

TEST(Arithmetic, subnormals_are_kept) {
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(combined(ElementType::float32, ReduceOp::sum, tiny, tiny), 2 * tiny);
}

TEST(Arithmetic, the_first_of_two_nans_is_kept) {
  const float one = Eigen::numext::bit_cast<float>(0x7FC00001U), two = Eigen::numext::bit_cast<float>(0x7FC00002U);
  EXPECT_EQ(Eigen::numext::bit_cast<std::uint32_t>(combined(ElementType::float32, ReduceOp::max, one, two)),
            0x7FC00001U);
  EXPECT_TRUE(std::isnan(combined(ElementType::float32, ReduceOp::min, 1.0F, two)));
}

TEST(Arithmetic, there_is_none_for_types_and_operations_without_meaning) {
  EXPECT_FALSE(arithmetic(ElementType::float_int, ReduceOp::sum));
  EXPECT_FALSE(arithmetic(ElementType::float32, ReduceOp::band));
  EXPECT_FALSE(arithmetic(ElementType::int32, ReduceOp::sum, ElementType::float32));
  EXPECT_TRUE(arithmetic(ElementType::float16, ReduceOp::sum, ElementType::float32));
}

}  // namespace
}  // namespace petri::kernels

// The operations of NCCL's kernels, as the device gives them.
#include "kernels/cpu/nccl_ops.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/element_types.hpp"

namespace petri::kernels {
namespace {

template <class T>
T combined(ElementType type, ReduceOp op, T left, T right) {
  nccl_arithmetic(type, op, NcclKernel::simple)->combine(&left, &right, 1);
  return right;
}

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

template <class T>
T half_of(std::uint32_t bits) {
  return Eigen::numext::bit_cast<T>(static_cast<std::uint16_t>(bits));
}

TEST(NcclOps, sums_give_the_one_nan_of_the_device) {
  const float nan = std::bit_cast<float>(0xFFC12345U), infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits(combined(ElementType::float32, ReduceOp::sum, nan, 1.0F)), 0x7FFFFFFFU);
  EXPECT_EQ(bits(combined(ElementType::float32, ReduceOp::sum, infinity, -infinity)), 0x7FFFFFFFU);
  EXPECT_EQ(bits(combined(ElementType::float32, ReduceOp::prod, 0.0F, infinity)), 0x7FFFFFFFU);
  const auto half = half_of<Eigen::half>(0xFE01);
  EXPECT_EQ(combined(ElementType::float16, ReduceOp::sum, half, half_of<Eigen::half>(0)).x, 0x7FFF);
  const auto brain = half_of<Eigen::bfloat16>(0xFF81);
  EXPECT_EQ(combined(ElementType::bfloat16, ReduceOp::prod, brain, half_of<Eigen::bfloat16>(0)).value, 0x7FFF);
  EXPECT_TRUE(std::isnan(combined(ElementType::float64, ReduceOp::sum, std::nan("1"), 1.0)));
}

TEST(NcclOps, of_a_number_and_a_nan_min_and_max_are_the_number) {
  const float nan = std::bit_cast<float>(0x7FC00001U);
  for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
    EXPECT_EQ(combined(ElementType::float32, op, nan, 2.0F), 2.0F);
    EXPECT_EQ(combined(ElementType::float32, op, 2.0F, nan), 2.0F);
    EXPECT_EQ(bits(combined(ElementType::float32, op, nan, nan)), 0x7FFFFFFFU);
    EXPECT_EQ(combined(ElementType::float64, op, std::nan(""), -2.0), -2.0);
    const auto one = half_of<Eigen::bfloat16>(0x3F80), no = half_of<Eigen::bfloat16>(0x7F81);
    EXPECT_EQ(combined(ElementType::bfloat16, op, no, one).value, 0x3F80);
    EXPECT_EQ(combined(ElementType::bfloat16, op, no, no).value, 0x7FFF);
  }
}

TEST(NcclOps, minus_zero_is_below_zero_on_either_side) {
  for (const auto& [a, b] : {std::pair{0.0F, -0.0F}, std::pair{-0.0F, 0.0F}}) {
    EXPECT_TRUE(std::signbit(combined(ElementType::float32, ReduceOp::min, a, b)));
    EXPECT_FALSE(std::signbit(combined(ElementType::float32, ReduceOp::max, a, b)));
  }
}

TEST(NcclOps, integers_wrap_and_their_average_divides_the_sum) {
  constexpr auto big = std::numeric_limits<std::int32_t>::max();
  EXPECT_EQ(combined<std::int32_t>(ElementType::int32, ReduceOp::sum, big, 1),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(combined<std::int64_t>(ElementType::int64, ReduceOp::min, -3, 5), -3);
  const auto average = nccl_arithmetic(ElementType::int32, ReduceOp::avg, NcclKernel::ll128);
  ASSERT_TRUE(average);
  EXPECT_EQ(average->scale, Arithmetic::Scale::after);
  EXPECT_FALSE(nccl_arithmetic(ElementType::int32, ReduceOp::band, NcclKernel::simple));
}

TEST(NcclOps, an_average_of_floats_is_fused_except_in_ll128) {
  float own = 1.0F + std::numeric_limits<float>::epsilon(), received = -1.0F / 3.0F;
  const float third = 1.0F / 3.0F;
  const float fused = std::fma(own, third, received);
  ASSERT_NE(fused, own * third + received);
  const auto how = nccl_arithmetic(ElementType::float32, ReduceOp::avg, NcclKernel::simple);
  ASSERT_EQ(how->scale, Arithmetic::Scale::fused);
  how->combine_scaled(&own, &received, 1, 3);
  EXPECT_EQ(received, fused);
  EXPECT_EQ(nccl_arithmetic(ElementType::float16, ReduceOp::avg, NcclKernel::ll128)->scale, Arithmetic::Scale::before);
  EXPECT_TRUE(averages_vary(ElementType::float32, NcclKernel::ll128));
  EXPECT_FALSE(averages_vary(ElementType::bfloat16, NcclKernel::ll128));
  EXPECT_FALSE(averages_vary(ElementType::int32, NcclKernel::ll128));
  EXPECT_FALSE(averages_vary(ElementType::float32, NcclKernel::simple));
}

__extension__ using Wide = __int128;

// In units of 2^-96: exact for values from 2^-48 to 2^16, and for products of two of them.
Wide units(double value) {
  const double scaled = std::ldexp(value, 48);
  return static_cast<Wide>(scaled) << 48;
}

Wide magnitude(Wide value) {
  return value < 0 ? -value : value;
}

// a·b + c in exact integers: no neighbour of the result is nearer, and a tie goes to the even one.
template <class T>
void expect_rounded_once(ElementType type, std::int32_t ranks, std::uint32_t a, std::uint32_t c) {
  T own = half_of<T>(a), sum = half_of<T>(c);
  const auto factor = static_cast<T>(1.0F / static_cast<float>(ranks));
  const auto exact_of = [](T value) { return static_cast<double>(static_cast<float>(value)); };
  const Wide exact = units(exact_of(own) * exact_of(factor)) + units(exact_of(sum));
  nccl_arithmetic(type, ReduceOp::avg, NcclKernel::simple)->combine_scaled(&own, &sum, 1, ranks);
  const auto found = Eigen::numext::bit_cast<std::uint16_t>(sum);
  const Wide error = magnitude(units(exact_of(sum)) - exact);
  if (exact == 0) return;
  for (const int step : {-1, 1}) {
    const double neighbour = exact_of(half_of<T>(static_cast<std::uint32_t>(found + step)));
    if (!std::isfinite(neighbour)) continue;  // of zero: the bits below are those of a NaN
    const Wide other = magnitude(units(neighbour) - exact);
    ASSERT_LE(error, other) << a << " " << c << " of " << ranks;
    ASSERT_TRUE(error != other || found % 2 == 0) << a << " " << c << " of " << ranks;
  }
}

TEST(NcclOps, fused_halves_are_rounded_once) {
  for (const std::int32_t ranks : {3, 7, 10, 96}) {
    // From 2^-14 and 2^-20 on, up to 2^14, in steps that share no factor with the mantissa.
    for (std::uint32_t a = 0x0400; a < 0x7400; a += 61)
      for (std::uint32_t c = 0x0400; c < 0x7400; c += 67) {
        expect_rounded_once<Eigen::half>(ElementType::float16, ranks, a, c);
        expect_rounded_once<Eigen::half>(ElementType::float16, ranks, a, c | 0x8000U);
      }
    for (std::uint32_t a = 0x3580; a < 0x4680; a += 7)
      for (std::uint32_t c = 0x3580; c < 0x4680; c += 11) {
        expect_rounded_once<Eigen::bfloat16>(ElementType::bfloat16, ranks, a, c);
        expect_rounded_once<Eigen::bfloat16>(ElementType::bfloat16, ranks, a, c | 0x8000U);
      }
  }
}

TEST(NcclOps, symmetric_kernels_sum_halves_in_float32) {
  const auto how = nccl_arithmetic(ElementType::bfloat16, ReduceOp::sum, NcclKernel::symmetric);
  ASSERT_TRUE(how);
  EXPECT_EQ(how->accumulator, ElementType::float32);
  EXPECT_FALSE(nccl_arithmetic(ElementType::float64, ReduceOp::sum, NcclKernel::symmetric));
  EXPECT_FALSE(nccl_arithmetic(ElementType::float16, ReduceOp::max, NcclKernel::symmetric));
}

}  // namespace
}  // namespace petri::kernels

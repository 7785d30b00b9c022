// The sides that Open MPI's operations keep, in vectors and in their tails.
#include "kernels/cpu/openmpi_ops.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <limits>
#include <string>

namespace petri::kernels {
namespace {

// L or R for each of `count` elements: which side's bits, the left ones' or the right ones', a combination keeps.
template <class T>
std::string sides(Combine combine, T left, T right) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  T result = right;
  combine(&left, &result, 1);
  const auto bits = std::bit_cast<Bits>(result);
  return bits == std::bit_cast<Bits>(left) ? "L" : bits == std::bit_cast<Bits>(right) ? "R" : "?";
}

// In the vector body, then in the tail.
template <class T>
std::string kept(ElementType type, ReduceOp op, T left, T right) {
  const auto how = openmpi_arithmetic(type, op);
  return sides(how->combine, left, right) + sides(how->tail, left, right);
}

const float kNan1 = std::bit_cast<float>(0x7FC00001U), kNan2 = std::bit_cast<float>(0x7FC00002U);

TEST(OpenMpiOps, vectors_keep_the_right_one_of_zeros_and_nans_and_tails_the_left_one) {
  for (const ReduceOp op : {ReduceOp::min, ReduceOp::max}) {
    EXPECT_EQ(kept(ElementType::float32, op, kNan1, kNan2), "RL");
    EXPECT_EQ(kept(ElementType::float32, op, kNan1, 1.0F), "RL");
    EXPECT_EQ(kept(ElementType::float32, op, 1.0F, kNan1), "RL");
    EXPECT_EQ(kept(ElementType::float64, op, 0.0, -0.0), "RL");
    EXPECT_EQ(kept(ElementType::float64, op, -0.0, 0.0), "RL");
  }
  EXPECT_EQ(kept(ElementType::float32, ReduceOp::min, 1.0F, 2.0F), "LL");
  EXPECT_EQ(kept(ElementType::float32, ReduceOp::max, 1.0F, 2.0F), "RR");
}

TEST(OpenMpiOps, of_two_nans_vectors_keep_the_left_one_and_tails_the_right_one) {
  for (const ReduceOp op : {ReduceOp::sum, ReduceOp::prod}) {
    EXPECT_EQ(kept(ElementType::float32, op, kNan1, kNan2), "LR");
    EXPECT_EQ(kept(ElementType::float32, op, kNan1, 1.0F), "LL");
    EXPECT_EQ(kept(ElementType::float32, op, 1.0F, kNan1), "RR");
  }
  float signalling = std::bit_cast<float>(0x7F800001U), result = kNan2;
  openmpi_arithmetic(ElementType::float32, ReduceOp::sum)->combine(&signalling, &result, 1);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(result), 0x7FC00001U);
}

TEST(OpenMpiOps, the_narrowest_vectors_that_are_allowed_decide) {
  using namespace openmpi_support;
  EXPECT_EQ(openmpi_vector_bytes(ElementType::float32), 16U);
  EXPECT_EQ(openmpi_vector_bytes(ElementType::float32, usual | avx512f), 16U);
  EXPECT_EQ(openmpi_vector_bytes(ElementType::float32, avx512f), 64U);
  EXPECT_EQ(openmpi_vector_bytes(ElementType::float32, avx | avx2), 32U);
  EXPECT_EQ(openmpi_vector_bytes(ElementType::float32, sse | sse2), 0U);
  EXPECT_EQ(openmpi_arithmetic(ElementType::float64, ReduceOp::sum)->lanes, 2U);
  EXPECT_EQ(openmpi_arithmetic(ElementType::float32, ReduceOp::min, 0)->tail, nullptr);
}

TEST(OpenMpiOps, integers_wrap_and_halves_have_none) {
  std::int32_t left = std::numeric_limits<std::int32_t>::max(), right = 1;
  openmpi_arithmetic(ElementType::int32, ReduceOp::sum)->combine(&left, &right, 1);
  EXPECT_EQ(right, std::numeric_limits<std::int32_t>::min());
  EXPECT_FALSE(openmpi_arithmetic(ElementType::float16, ReduceOp::sum));
  EXPECT_FALSE(openmpi_arithmetic(ElementType::float32, ReduceOp::band));
}

}  // namespace
}  // namespace petri::kernels

// The evaluator against a plain reading of the tree, and the probes that tell orders apart.
#include "kernels/order/evaluate.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "kernels/cpu/nccl_ops.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order {
namespace {

using kernels::arithmetic;
using testing::Each;
using testing::ElementsAre;
using testing::IsSubsetOf;

template <class T>
constexpr ElementType element_type = std::is_same_v<T, float> ? ElementType::float32 : ElementType::float64;

// One vector for each rank.
template <class T>
using Vectors = std::vector<std::vector<T>>;

template <class T>
Contribution from(const Vectors<T>& vectors) {
  return [&vectors](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    std::memcpy(out, vectors[static_cast<std::size_t>(rank)].data() + first, count * sizeof(T));
  };
}

template <class T>
std::vector<T> evaluated(const Order& order, const Vectors<T>& vectors, ReduceOp op = ReduceOp::sum,
                         std::int32_t rank = 0) {
  std::vector<T> result(order.count);
  Evaluator(order, *arithmetic(element_type<T>, op), rank)
      .evaluate(from(vectors), 0, order.count, reinterpret_cast<std::byte*>(result.data()));
  return result;
}

Vectors<float> random_vectors(std::int32_t ranks, std::uint64_t count) {
  std::mt19937 chance(1);
  std::normal_distribution<float> normal;
  Vectors<float> vectors(static_cast<std::size_t>(ranks), std::vector<float>(count));
  for (auto& vector : vectors)
    for (float& value : vector) value = std::ldexp(normal(chance), static_cast<int>(chance() % 40));
  return vectors;
}

// The tree's steps one after the other, for one element.
float by_steps(const Tree& tree, const Vectors<float>& vectors, std::uint64_t element) {
  std::vector<float> values;
  for (const auto& vector : vectors) values.push_back(vector[element]);
  for (const Step& step : tree.steps)
    values.push_back(values[static_cast<std::size_t>(step.left)] + values[static_cast<std::size_t>(step.right)]);
  return values[static_cast<std::size_t>(tree.result())];
}

TEST(Evaluate, equals_the_steps_of_each_elements_tree) {
  for (const std::int32_t ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 17}) {
    const Shape shape{.ranks = ranks, .count = 2 * Evaluator::kTile + 77};
    const Vectors<float> vectors = random_vectors(ranks, shape.count);
    for (const Order& order : {sequential(shape), heap_tree(shape, 1), pairwise(shape), binomial(shape), ring(shape, 2),
                               recursive_halving(shape), double_binary_tree(shape)}) {
      const std::vector<float> result = evaluated(order, vectors);
      for (std::uint64_t i = 0; i < shape.count; i += 61)
        ASSERT_EQ(result[i], by_steps(tree_of(order, i), vectors, i)) << order.name << ", element " << i;
    }
  }
}

TEST(Evaluate, pieces_give_the_bits_of_the_whole) {
  const Shape shape{.ranks = 5, .count = 3 * Evaluator::kTile + 5};
  const Vectors<float> vectors = random_vectors(5, shape.count);
  const Order order = ring(shape);
  const std::vector<float> whole = evaluated(order, vectors);
  std::vector<float> pieces(shape.count);
  Evaluator evaluator(order, *arithmetic(ElementType::float32, ReduceOp::sum));
  for (std::uint64_t at = 0, size = 1; at < shape.count; at += size, size = size * 3 + 1) {
    size = std::min(size, shape.count - at);
    evaluator.evaluate(from(vectors), at, size, reinterpret_cast<std::byte*>(pieces.data() + at));
  }
  EXPECT_EQ(whole, pieces);
}

// Keeps the left side in a vector's body, and the right one in its tail.
kernels::Arithmetic left_in_the_body(std::size_t lanes) {
  kernels::Arithmetic how = *arithmetic(ElementType::float32, ReduceOp::sum);
  how.combine = [](const void* left, void* right, std::size_t count) {
    std::memcpy(right, left, count * sizeof(float));
  };
  how.tail = [](const void*, void*, std::size_t) {};
  how.lanes = lanes;
  return how;
}

TEST(Evaluate, the_tail_of_each_call_is_its_last_elements) {
  Order order = sequential({.ranks = 2, .count = 10});
  const auto result = [&](std::uint64_t piece) {
    std::string sides;
    Evaluator evaluator(order, left_in_the_body(4));
    for (std::uint64_t at = 0; at < 10; at += piece) {
      std::vector<float> values(10);
      const std::uint64_t count = std::min(piece, 10 - at);
      const Vectors<float> vectors{std::vector<float>(10, 0), std::vector<float>(10, 1)};
      evaluator.evaluate(from(vectors), at, count, reinterpret_cast<std::byte*>(values.data()));
      for (std::uint64_t i = 0; i < count; ++i) sides += values[i] == 0 ? 'L' : 'R';
    }
    return sides;
  };
  for (const std::uint64_t piece : {1, 3, 10}) {
    order.views = {{{0, 10, 0, 0}}};
    EXPECT_EQ(result(piece), "LLLLLLLLRR");
    order.views = {{{0, 3, 0, 0}, {3, 7, 0, 0}}};
    EXPECT_EQ(result(piece), "RRRLLLLRRR");
    // The second part lies in a call of 12 elements that began two before it.
    order.views = {{{0, 3, 0, 0}, {3, 7, 0, 0, {{2, 12}}}}};
    EXPECT_EQ(result(piece), "RRRLLLLLLL");
    order.views = {{{0, 3, 0, 0, {{0, 4}}}, {3, 7, 0, 0, {{2, 11}}}}};
    EXPECT_EQ(result(piece), "LLLLLLLLLR");
  }
}

TEST(Evaluate, refuses_an_order_that_loses_a_contribution) {
  Order order = sequential({.ranks = 3, .count = 1});
  order.trees[0].steps.pop_back();
  EXPECT_THROW(Evaluator(order, *arithmetic(ElementType::float32, ReduceOp::sum)), std::invalid_argument);
}

TEST(Probes, ranks_that_add_their_own_first_disagree) {
  const Vectors<double> vectors{{1e16}, {1}, {-1e16}};
  const Order order = own_first({.ranks = 3, .count = 1, .type = ElementType::float64});
  std::vector<double> results;
  for (const std::int32_t rank : {0, 1, 2}) results.push_back(evaluated(order, vectors, ReduceOp::sum, rank)[0]);
  EXPECT_THAT(results, ElementsAre(0, 0, 1));
}

// All results of an order over the permutations of 1e8, 1, -1e8, 1.
std::set<float> results_over_permutations(const Order& order) {
  std::vector<float> values{-1e8F, 1, 1, 1e8F};
  std::set<float> results;
  do {
    results.insert(evaluated<float>(order, {{values[0]}, {values[1]}, {values[2]}, {values[3]}})[0]);
  } while (std::next_permutation(values.begin(), values.end()));
  return results;
}

TEST(Probes, sequential_and_pairwise_orders_have_their_own_sets_of_results) {
  const Shape shape{.ranks = 4, .count = 1};
  EXPECT_THAT(results_over_permutations(sequential(shape)), ElementsAre(0, 1, 2));
  EXPECT_THAT(results_over_permutations(pairwise(shape)), ElementsAre(0, 2));
  EXPECT_THAT(results_over_permutations(recursive_doubling(shape)), ElementsAre(0, 2));
}

TEST(Probes, a_narrow_type_loses_bits_at_each_hop_and_a_wide_sum_does_not) {
  const std::int32_t ranks = 512;
  const Shape shape{.ranks = ranks, .count = 1, .type = ElementType::bfloat16};
  const auto contribution = [](std::int32_t, std::uint64_t, std::size_t, std::byte* out) {
    const std::uint16_t one_and_a_bit = 0x3F81;  // 1.0078125
    std::memcpy(out, &one_and_a_bit, 2);
  };
  const auto result = [&](std::optional<ElementType> accumulator) {
    std::uint16_t bits = 0;
    Evaluator(ring(shape), *arithmetic(ElementType::bfloat16, ReduceOp::sum, accumulator))
        .evaluate(contribution, 0, 1, reinterpret_cast<std::byte*>(&bits));
    return bits;
  };
  EXPECT_EQ(result(ElementType::float32), 0x4401);  // 516, exact
  EXPECT_NE(result(std::nullopt), 0x4401);
}

TEST(Probes, nan_and_signed_zero_do_not_depend_on_the_order_in_our_own_arithmetic) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::int32_t last : {0, 1}) {
    Vectors<float> nans{{2}, {2}}, zeros{{-0.0F}, {-0.0F}};
    nans[static_cast<std::size_t>(last)][0] = nan;
    zeros[static_cast<std::size_t>(last)][0] = 0.0F;
    const Order order = sequential({.ranks = 2, .count = 1});
    EXPECT_TRUE(std::isnan(evaluated(order, nans, ReduceOp::max)[0]));
    EXPECT_TRUE(std::signbit(evaluated(order, zeros, ReduceOp::min)[0]));
    EXPECT_FALSE(std::signbit(evaluated(order, zeros, ReduceOp::max)[0]));
  }
}

TEST(Evaluate, an_average_scales_the_sum_or_each_contribution) {
  const Vectors<float> vectors{{16777216.0F}, {1.0F}, {1.0F}};
  auto how = *arithmetic(ElementType::float32, ReduceOp::avg);
  const Order order = sequential({.ranks = 3, .count = 1});
  const auto result = [&] {
    float value = 0;
    Evaluator(order, how).evaluate(from(vectors), 0, 1, reinterpret_cast<std::byte*>(&value));
    return value;
  };
  const float third = 1.0F / 3.0F;
  EXPECT_EQ(result(), 16777216.0F * third);
  how.scale = kernels::Arithmetic::Scale::before;
  EXPECT_EQ(result(), (16777216.0F * third + third) + third);
}

TEST(Evaluate, a_fused_average_rounds_a_left_contribution_together_with_what_it_meets) {
  const auto how = *kernels::nccl_arithmetic(ElementType::float32, ReduceOp::avg, kernels::NcclKernel::simple);
  const Vectors<float> vectors{{1.1F}, {-2.3F}, {1.7F}, {5.9F}};
  const auto result = [&](const Order& order) {
    float value = 0;
    Evaluator(order, how).evaluate(from(vectors), 0, 1, reinterpret_cast<std::byte*>(&value));
    return value;
  };
  const float quarter = 0.25F, third = 1.0F / 3.0F;
  const float pairs = std::fma(1.1F, quarter, -2.3F * quarter) + std::fma(1.7F, quarter, 5.9F * quarter);
  EXPECT_EQ(result(recursive_doubling({.ranks = 4, .count = 1})), pairs);
  EXPECT_EQ(result(heap_tree({.ranks = 3, .count = 1}, 1)),
            std::fma(1.1F, third, std::fma(-2.3F, third, 1.7F * third)));
  EXPECT_EQ(result(sequential({.ranks = 1, .count = 1})), 1.1F);
}

}  // namespace
}  // namespace petri::order

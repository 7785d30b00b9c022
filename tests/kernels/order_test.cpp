// Trees, the orders of the literature, and what makes an order whole.
#include "kernels/order/order.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <set>

#include "kernels/order/schedule.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order {
namespace {

using testing::ElementsAre;

std::string text(const Order& order, std::uint64_t element = 0, std::int32_t rank = 0) {
  return text_of(tree_of(order, element, rank));
}

Shape shape(std::int32_t ranks, std::uint64_t count = 1) {
  return {.ranks = ranks, .count = count};
}

std::vector<Order> all_of(const Shape& shape) {
  std::vector<Order> orders{sequential(shape),        own_first(shape),    pairwise(shape), heap_tree(shape, 1),
                            heap_tree(shape, 2),      heap_tree(shape, 5), binomial(shape), recursive_doubling(shape),
                            recursive_halving(shape), ring(shape),         ring(shape, 3),  double_binary_tree(shape),
                            by_host(shape),           arrival(shape, 7)};
  return orders;
}

TEST(Order, each_covers_every_element_with_every_contribution_once) {
  for (std::int32_t ranks = 1; ranks <= 33; ++ranks)
    for (const std::uint64_t count : {0, 1, 2, 5, 32, 100})
      for (const Order& order : all_of(shape(ranks, count)))
        EXPECT_TRUE(is_whole(order)) << order.name << " of " << ranks << " ranks and " << count << " elements";
}

TEST(Order, is_not_whole_with_a_gap_a_lost_or_a_doubled_contribution) {
  const Order good = ring(shape(4, 10));
  Order gap = good;
  gap.views[0][1].first += 1;
  EXPECT_FALSE(is_whole(gap));
  Order short_view = good;
  short_view.views[0].pop_back();
  EXPECT_FALSE(is_whole(short_view));
  Order doubled = good;
  doubled.trees[0].steps[1].right = 0;
  EXPECT_FALSE(is_whole(doubled));
  Order early = good;
  early.trees[0].steps[0].right = 5;
  EXPECT_FALSE(is_whole(early));
  Order outside = good;  // a part that reaches beyond its call
  outside.views[0][1].calls = {{0, 9}, {8, 9}, {0, 9}};
  EXPECT_FALSE(is_whole(outside));
  outside.views[0][1].calls.pop_back();
  EXPECT_FALSE(is_whole(outside));
  Order lost = good;
  lost.trees[0].steps.pop_back();
  EXPECT_FALSE(is_whole(lost));
  EXPECT_TRUE(is_whole(good));
}

TEST(Order, of_the_literature_as_written_there) {
  EXPECT_EQ(text(sequential(shape(4))), "(((x0+x1)+x2)+x3)");
  EXPECT_EQ(text(pairwise(shape(5))), "(((x0+x1)+x2)+(x3+x4))");
  EXPECT_EQ(text(heap_tree(shape(4), 1)), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(text(heap_tree(shape(6), 2)), "((x0+((x1+x3)+x4))+(x2+x5))");
  EXPECT_EQ(text(binomial(shape(8))), "(((x0+x1)+(x2+x3))+((x4+x5)+(x6+x7)))");
  EXPECT_EQ(text(binomial(shape(5))), "(((x0+x1)+(x2+x3))+x4)");
  EXPECT_EQ(text(recursive_doubling(shape(5))), "(((x0+x1)+x2)+(x3+x4))");
  EXPECT_EQ(text(recursive_doubling(shape(7))), "(((x0+x1)+(x2+x3))+((x4+x5)+x6))");
  EXPECT_EQ(text(recursive_halving(shape(4))), "((x0+x2)+(x1+x3))");
  EXPECT_EQ(text(recursive_halving(shape(6))), "(((x0+x1)+x4)+((x2+x3)+x5))");
}

TEST(Order, a_ring_begins_each_block_with_its_rank) {
  const Order order = ring(shape(3, 5));  // blocks of 2, 2 and 1
  EXPECT_EQ(text(order, 1), "((x0+x1)+x2)");
  EXPECT_EQ(text(order, 2), "((x1+x2)+x0)");
  EXPECT_EQ(text(order, 4), "((x2+x0)+x1)");
  const Order two_channels = ring(shape(3, 12), 2);
  EXPECT_EQ(text(two_channels, 0), text(two_channels, 6));
  EXPECT_EQ(text(two_channels, 2), "((x1+x2)+x0)");
}

TEST(Order, ranks_that_add_their_own_first_have_trees_of_their_own) {
  const Order order = own_first(shape(3));
  EXPECT_EQ(text(order, 0, 0), "((x0+x1)+x2)");
  EXPECT_EQ(text(order, 0, 1), "((x1+x0)+x2)");
  EXPECT_EQ(text(order, 0, 2), "((x2+x0)+x1)");
}

TEST(Order, hosts_are_summed_before_each_other) {
  Shape two_hosts = shape(5);
  two_hosts.hosts = {0, 1, 0, 1, 1};
  EXPECT_EQ(text(by_host(two_hosts)), "((x0+x2)+((x1+x3)+x4))");
  EXPECT_EQ(text(by_host(shape(3))), "((x0+x1)+x2)");
}

// Inner ranks: those that add somebody to their own contribution.
std::set<Operand> inner_ranks(const Tree& tree) {
  std::set<Operand> inner;
  for (const Step& step : tree.steps)
    if (step.left < tree.ranks) inner.insert(step.left);
  return inner;
}

TEST(Order, no_rank_is_inner_in_both_of_two_trees) {
  for (std::int32_t ranks = 2; ranks <= 64; ++ranks) {
    const Order order = double_binary_tree(shape(ranks, 2));
    const std::set<Operand> first = inner_ranks(tree_of(order, 0)), second = inner_ranks(tree_of(order, 1));
    for (const Operand rank : first) EXPECT_FALSE(second.contains(rank)) << rank << " of " << ranks;
    const auto limit = 2 * static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(ranks)));
    EXPECT_LE(depth_of(tree_of(order, 0)), limit);
  }
}

TEST(Order, arrival_is_drawn_by_its_seed_and_guarantees_nothing) {
  const Shape many = shape(20);
  EXPECT_EQ(text(arrival(many, 3)), text(arrival(many, 3)));
  EXPECT_NE(text(arrival(many, 3)), text(arrival(many, 4)));
  EXPECT_EQ(arrival(many, 3).determinism, Determinism::not_guaranteed);
}

TEST(Order, blocks_differ_by_one_at_most) {
  std::vector<std::uint64_t> sizes;
  for (std::int32_t i = 0; i < 4; ++i) sizes.push_back(block_of(10, 4, i).count);
  EXPECT_THAT(sizes, ElementsAre(3, 3, 2, 2));
  EXPECT_EQ(block_of(10, 4, 2).first, 6U);
}

TEST(Schedule, needs_a_stack_of_the_logarithm_of_the_ranks) {
  for (const Order& order : all_of(shape(1024, 1024)))
    for (const Tree& tree : order.trees) {
      const Schedule schedule = schedule_of(tree);
      EXPECT_LE(schedule.height, 11U) << order.name;
      EXPECT_EQ(schedule.instructions.size(), 2047U);
    }
  EXPECT_EQ(schedule_of(heap_tree(shape(1024), 1).trees[0]).height, 2U);
}

}  // namespace
}  // namespace petri::order

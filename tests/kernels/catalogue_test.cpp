// Orders by name.
#include "kernels/order/catalogue.hpp"

#include <gmock/gmock.h>

namespace petri::order {
namespace {

Shape shape(std::int32_t ranks, ElementType type = ElementType::float32) {
  return {.ranks = ranks, .count = 100, .type = type};
}

std::string text(std::string_view name, std::int32_t ranks) {
  const auto reduction = reduction_named(name, shape(ranks), ReduceOp::sum);
  return reduction ? text_of(tree_of(reduction->order, 0)) : "none";
}

TEST(Catalogue, each_line_names_an_order_that_is_whole) {
  for (const CatalogueLine& line : catalogue()) {
    const std::string_view name = line.form.substr(0, line.form.find('['));
    for (const std::int32_t ranks : {1, 2, 7, 16}) {
      const auto reduction = reduction_named(name, shape(ranks), ReduceOp::sum);
      ASSERT_TRUE(reduction) << name;
      EXPECT_TRUE(is_whole(reduction->order)) << name;
      EXPECT_EQ(reduction->order.name, name);
    }
  }
}

TEST(Catalogue, numbers_are_what_the_order_takes) {
  EXPECT_EQ(text("tree:1", 4), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(text("blocks:2", 5), "(((x0+x1)+x2)+(x3+x4))");
  EXPECT_EQ(text("blocks:9", 3), "((x0+x1)+x2)");
  EXPECT_NE(text("arrival:1", 9), text("arrival:2", 9));
  for (const std::string_view wrong : {"tree:0", "ring:0", "ring:-1", "ring:2x", "ring:", "sequential:1", "nothing", "",
                                       "ring@", "ring@float99", "arrival:99999999999999999999"})
    EXPECT_EQ(text(wrong, 4), "none") << wrong;
}

TEST(Catalogue, a_type_widens_what_is_combined) {
  const auto wide = reduction_named("ring:2@float32", shape(4, ElementType::bfloat16), ReduceOp::sum);
  ASSERT_TRUE(wide);
  EXPECT_EQ(wide->arithmetic.element, ElementType::bfloat16);
  EXPECT_EQ(wide->arithmetic.accumulator, ElementType::float32);
  EXPECT_FALSE(reduction_named("ring@float32", shape(4, ElementType::int32), ReduceOp::sum));
  EXPECT_FALSE(reduction_named("ring", shape(4), ReduceOp::band));
}

// What an order is made of does not grow with what a line can ask for.
TEST(Catalogue, an_order_that_is_too_large_is_refused) {
  constexpr std::uint64_t k2To40 = std::uint64_t{1} << 40;
  struct Case {
    std::string_view name;
    std::int32_t ranks;
    std::uint64_t count;
  };
  for (const Case& large : {Case{"own-first", 100'000, 1}, Case{"ring:65536", 100'000, k2To40},
                            Case{"openmpi-4.1/reduce:5+segment=4", 4, k2To40}, Case{"openmpi-4.1/ireduce:1", 4, k2To40},
                            Case{"openmpi-4.1/allreduce:5+segment=4", 4, k2To40},
                            Case{"openmpi-4.1/reduce+sm", 4, k2To40}, Case{"openmpi-4.1/allreduce:6", 100'000, k2To40},
                            Case{"nccl-2.30/ring", 100'000, k2To40}, Case{"nccl-2.30/symmetric-ld", 2, k2To40}}) {
    const Shape shape{.ranks = large.ranks, .count = large.count};
    EXPECT_THROW(reduction_named(large.name, shape, ReduceOp::sum), TooLarge) << large.name;
  }
  EXPECT_THROW(reduction_named("ring", {.ranks = 2, .count = kMostContributions}, ReduceOp::sum), TooLarge);
  Shape hosts{.ranks = 8, .count = k2To40, .hosts = {0, 0, 0, 0, 1, 1, 1, 1}};
  EXPECT_THROW(reduction_named("openmpi-4.1/allreduce+han", hosts, ReduceOp::sum), TooLarge);
  for (const std::string_view small : {"ring:4", "tree", "nccl-2.30/tree", "nccl-2.30/symmetric-ll", "by-host"})
    EXPECT_LT(bytes_of(reduction_named(small, hosts, ReduceOp::sum)->order), 100'000U) << small;
}

TEST(Catalogue, one_rank_reduces_any_vector) {
  for (const CatalogueLine& line : catalogue()) {
    const std::string_view name = line.form.substr(0, line.form.find('['));
    const auto reduction = reduction_named(name, {.ranks = 1, .count = kMostContributions}, ReduceOp::sum);
    ASSERT_TRUE(reduction) << name;
    EXPECT_TRUE(is_whole(reduction->order)) << name;
  }
}

TEST(Catalogue, a_library_has_its_own_orders_by_version) {
  EXPECT_EQ(text("nccl-2.30/reduce/ring", 4), "(x0+(x3+(x2+x1)))");
  const auto measured = reduction_named("nccl-2.30/reduce/ring", shape(4), ReduceOp::avg);
  const auto unknown = reduction_named("nccl-9.1/reduce/ring", shape(4), ReduceOp::avg);
  ASSERT_TRUE(measured && unknown);
  EXPECT_EQ(measured->order.determinism, Determinism::run_to_run);
  EXPECT_EQ(unknown->order.determinism, Determinism::not_guaranteed);
  EXPECT_EQ(reduction_named("nccl-2.30.1/ring", shape(4), ReduceOp::sum)->order.determinism, Determinism::run_to_run);
  for (const char* const version : {"", "2", "2.", ".3", "2..3", "2.x", "2.30.", "typo"})
    EXPECT_FALSE(reduction_named("nccl-" + std::string(version) + "/ring", shape(4), ReduceOp::sum)) << version;
  EXPECT_EQ(measured->arithmetic.scale, kernels::Arithmetic::Scale::fused);
  for (const std::string_view wrong : {"nccl/reduce/ring", "nccl-2.30", "nccl-2.30/", "other-1/ring", "/", "-/"})
    EXPECT_EQ(text(wrong, 4), "none") << wrong;
}

}  // namespace
}  // namespace petri::order

// NCCL's orders, against small cases worked out by hand from the sources that nccl.hpp names.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

#include "kernels/cpu/nccl_ops.hpp"
#include "kernels/order/evaluate.hpp"
#include "kernels/order/nccl.hpp"
#include "kernels/order/nccl_channels.hpp"
#include "kernels/order/nccl_trees.hpp"

namespace petri::order::nccl {
namespace {

using testing::ElementsAre;

const Version& newest() {
  return versions().back();
}

Shape shape(std::int32_t ranks, std::uint64_t count, std::vector<std::int32_t> hosts = {}) {
  return {.ranks = ranks, .count = count, .type = ElementType::float32, .hosts = std::move(hosts)};
}

std::string text(const Order& order, std::uint64_t element = 0) {
  return text_of(tree_of(order, element));
}

std::string text(const Choice& choice, const Shape& shape, std::uint64_t element = 0) {
  return text(*order_of(newest(), choice, shape), element);
}

std::vector<std::uint64_t> counts(const View& view) {
  std::vector<std::uint64_t> result;
  for (const Part& part : view) result.push_back(part.count);
  return result;
}

// The ranks that the folds begin with, where the ring is in the order of the ranks.
std::vector<std::int32_t> shifts(const View& view) {
  std::vector<std::int32_t> result;
  for (const Part& part : view) result.push_back(part.shift);
  return result;
}

TEST(NcclRing, a_chunk_begins_after_its_rank_and_ends_with_it) {
  const Shape four = shape(4, 16);
  EXPECT_EQ(text({}, four, 0), "(x0+(x3+(x2+x1)))");
  EXPECT_EQ(text({}, four, 4), "(x1+(x0+(x3+x2)))");
  EXPECT_EQ(text({}, four, 15), "(x3+(x2+(x1+x0)))");
  EXPECT_EQ(text({}, shape(2, 8), 0), "(x0+x1)");
  EXPECT_EQ(text({}, shape(2, 8), 4), "(x1+x0)");
  EXPECT_EQ(text({}, shape(1, 8), 4), "x0");
}

TEST(NcclRing, chunks_of_a_pass_that_is_not_full_are_aligned_to_16_bytes) {
  const auto view = [](std::int32_t ranks, std::uint64_t count, ElementType type) {
    Shape of = shape(ranks, count);
    of.type = type;
    return order_of(newest(), {}, of)->views[0];
  };
  EXPECT_THAT(counts(view(4, 10, ElementType::float32)), ElementsAre(4, 4, 2));
  EXPECT_THAT(shifts(view(4, 10, ElementType::float32)), ElementsAre(1, 2, 3));
  EXPECT_THAT(counts(view(4, 10, ElementType::float64)), ElementsAre(4, 4, 2));
  EXPECT_THAT(counts(view(3, 10, ElementType::bfloat16)), ElementsAre(8, 2));
  EXPECT_THAT(counts(view(3, 9, ElementType::float64)), ElementsAre(4, 4, 1));
  EXPECT_THAT(counts(view(8, 1, ElementType::float32)), ElementsAre(1));
}

TEST(NcclRing, a_full_pass_has_the_largest_chunk_of_its_protocol) {
  struct Case {
    Protocol protocol;
    std::uint64_t chunk;  // elements of 4 bytes
  };
  for (const auto& [protocol, chunk] : {Case{Protocol::simple, (2U << 20) / 4}, Case{Protocol::ll, (32U << 10) / 4},
                                        Case{Protocol::ll128, 576000U / 4}}) {
    const Choice choice{.protocol = protocol};
    const View full = order_of(newest(), choice, shape(2, 2 * chunk))->views[0];
    EXPECT_THAT(counts(full), ElementsAre(chunk, chunk));
    const View below = order_of(newest(), choice, shape(2, 2 * chunk - 1))->views[0];
    EXPECT_THAT(counts(below), ElementsAre(chunk, chunk - 1));
    // The chunk after the first pass begins with rank 1 as well: it is 4 elements at most, and there is one.
    const View above = order_of(newest(), choice, shape(2, 2 * chunk + 1))->views[0];
    EXPECT_THAT(counts(above), ElementsAre(chunk, chunk, 1));
    EXPECT_THAT(shifts(above), ElementsAre(1, 0, 1));
  }
}

TEST(NcclRing, a_chunk_is_half_of_the_buffer_that_is_set) {
  const Choice choice{.buffer = 16384};  // NCCL_BUFFSIZE: four of eight slots
  EXPECT_THAT(counts(order_of(newest(), choice, shape(2, 5000))->views[0]), ElementsAre(2048, 2048, 452, 452));
  const Choice tiny{.protocol = Protocol::ll128, .buffer = 1};
  EXPECT_EQ(counts(order_of(newest(), tiny, shape(2, 961))->views[0]).front(), 480U);
}

TEST(NcclRing, takes_the_ring_that_it_is_given) {
  const Choice choice{.rings = {{2, 1, 3, 0}}};  // from rank 0 on: 0, 2, 1, 3
  EXPECT_EQ(text(choice, shape(4, 16), 0), "(x0+(x3+(x1+x2)))");
  EXPECT_EQ(text(choice, shape(4, 16), 4), "(x2+(x0+(x3+x1)))");
  const Choice other_root{.collective = Collective::reduce, .root = 1, .rings = {{2, 1, 3, 0}}};
  EXPECT_EQ(text(other_root, shape(4, 16)), "(x1+(x2+(x0+x3)))");
  // Hosts one after the other where none is given.
  EXPECT_EQ(text({}, shape(4, 16, {0, 1, 0, 1}), 0), "(x0+(x3+(x1+x2)))");
}

TEST(NcclRing, each_channel_may_have_a_ring_of_its_own) {
  const Choice choice{.channels = 2, .rings = {{0, 1, 2}, {0, 2, 1}}};
  const std::uint64_t half = 4096;
  EXPECT_EQ(text(choice, shape(3, 2 * half), 0), "(x0+(x2+x1))");
  EXPECT_EQ(text(choice, shape(3, 2 * half), half), "(x0+(x1+x2))");
}

TEST(NcclRing, a_reduction_begins_after_its_root_and_a_scattered_block_after_its_rank) {
  const Choice reduce{.collective = Collective::reduce, .root = 2};
  EXPECT_EQ(text(reduce, shape(4, 16)), "(x2+(x1+(x0+x3)))");
  const Choice scatter{.collective = Collective::reduce_scatter};
  EXPECT_EQ(text(scatter, shape(3, 6), 0), "(x0+(x2+x1))");
  EXPECT_EQ(text(scatter, shape(3, 6), 2), "(x1+(x0+x2))");
  EXPECT_EQ(text(scatter, shape(3, 6), 5), "(x2+(x1+x0))");
  // Padded to 9 elements: blocks of 3, 3 and what there is of the last one.
  EXPECT_THAT(counts(order_of(newest(), scatter, shape(3, 7))->views[0]), ElementsAre(3, 3, 1));
}

std::vector<std::uint64_t> part_counts(const Version& version, const Choice& choice, std::uint64_t count) {
  std::vector<std::uint64_t> result;
  for (const ChannelPart& part : channel_parts(version, choice, 4, count, 4)) result.push_back(part.count);
  return result;
}

TEST(NcclChannels, are_whole_cells_of_16_KiB_but_for_the_last_one) {
  const std::uint64_t cell = 4096;  // elements
  const auto of = [&](std::int32_t channels, std::uint64_t count) {
    return part_counts(newest(), {.channels = channels}, count);
  };
  EXPECT_THAT(of(1, 3 * cell), ElementsAre(3 * cell));
  EXPECT_THAT(of(2, 2 * cell), ElementsAre(cell, cell));
  EXPECT_THAT(of(2, 3 * cell), ElementsAre(2 * cell, cell));
  EXPECT_THAT(of(3, 3 * cell), ElementsAre(cell, cell, cell));
  EXPECT_THAT(of(4, 5000), ElementsAre(cell, 904));
  EXPECT_THAT(of(4, 1), ElementsAre(1));
  EXPECT_TRUE(of(4, 0).empty());
}

TEST(NcclChannels, have_smaller_cells_for_ll_and_in_2_28) {
  EXPECT_THAT(part_counts(newest(), {.protocol = Protocol::ll, .channels = 4}, 5000), ElementsAre(2048, 2048, 904));
  // 8 KiB, and a channel is not given less than 16 KiB over the links, which is one of them.
  EXPECT_THAT(part_counts(versions().front(), {.channels = 4}, 5000), ElementsAre(2048, 2048, 904));
  EXPECT_THAT(part_counts(versions().front(), {.channels = 8}, 5000), ElementsAre(2048, 2048, 904));
}

TEST(NcclChannels, have_cells_by_what_the_operation_moves) {
  EXPECT_THAT(part_counts(newest(), {.collective = Collective::reduce, .channels = 2}, 16384), ElementsAre(8192, 8192));
  // A block of 4 ranks: 32 KiB over the links are 8 KiB of it.
  EXPECT_THAT(part_counts(newest(), {.collective = Collective::reduce_scatter, .channels = 3}, 6144),
              ElementsAre(2048, 2048, 2048));
}

// One element more than 16 channels share evenly: rounded down, a share is one cell, and there are 17 of them.
TEST(NcclChannels, are_no_more_than_there_are) {
  const std::uint64_t cell = 4096, count = 16 * cell + 1;
  std::vector<std::uint64_t> crowded(15, cell), spread(16, cell);
  crowded.push_back(cell + 1);
  spread.push_back(1);
  EXPECT_EQ(part_counts(newest(), {.channels = 16}, count), crowded);
  EXPECT_EQ(part_counts(newest(), {.channels = 16, .communicator_channels = 32}, count), spread);
}

TEST(NcclChannels, cover_everything_once) {
  for (const Version& version : versions())
    for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
      for (std::int32_t channels = 1; channels <= 33; ++channels)
        for (const std::uint64_t count : {1, 4095, 4096, 4097, 99999, 1048576, 1048583})
          for (const std::int32_t more : {0, 7}) {
            const Choice choice{.protocol = protocol, .channels = channels, .communicator_channels = channels + more};
            std::uint64_t next = 0;
            for (const ChannelPart& part : channel_parts(version, choice, 8, count, 2)) {
              EXPECT_EQ(part.first, next);
              EXPECT_GT(part.count, 0U);
              EXPECT_LT(part.channel, choice.communicator_channels);
              next += part.count;
            }
            EXPECT_EQ(next, count) << channels << " channels of " << version.name;
          }
}

TEST(NcclTree, of_one_host_is_a_chain) {
  const Choice choice{.algorithm = Algorithm::tree};
  EXPECT_EQ(text(choice, shape(4, 16)), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(text(choice, shape(1, 16)), "x0");
  const Choice turned{.algorithm = Algorithm::tree, .chain = {2, 0, 3, 1}};
  EXPECT_EQ(text(turned, shape(4, 16)), "(x2+(x0+(x3+x1)))");
}

TEST(NcclTree, adds_its_own_chain_before_the_hosts_below) {
  const Choice two{.algorithm = Algorithm::tree, .channels = 2};
  const Shape hosts = shape(4, 8192, {0, 0, 1, 1});
  EXPECT_EQ(text(two, hosts, 0), "((x0+x1)+(x2+x3))");
  EXPECT_EQ(text(two, hosts, 4096), "((x2+x3)+(x0+x1))");
}

TEST(NcclTree, children_hang_where_the_pattern_says) {
  const Shape hosts = shape(6, 16, {0, 0, 1, 1, 2, 2});
  Choice choice{.algorithm = Algorithm::tree};
  EXPECT_EQ(text(choice, hosts), "((x0+x1)+(x4+(x5+(x2+x3))))");
  choice.host_tree = HostTree::first;
  EXPECT_EQ(text(choice, hosts), "((x0+x1)+((x4+x5)+(x2+x3)))");
  choice.host_tree = HostTree::second;
  EXPECT_EQ(text(choice, hosts), "(x0+(x1+(x4+(x5+(x2+x3)))))");
}

std::vector<std::vector<std::int32_t>> hosts_of_one(std::int32_t hosts) {
  std::vector<std::vector<std::int32_t>> chains;
  for (std::int32_t host = 0; host < hosts; ++host) chains.push_back({host});
  return chains;
}

TEST(NcclTree, over_hosts_is_mirrored_for_an_even_number_and_shifted_for_an_odd_one) {
  const auto of = [](std::int32_t hosts, bool second) {
    return text_of(host_tree(hosts_of_one(hosts), HostTree::balanced, second));
  };
  EXPECT_EQ(of(2, false), "(x0+x1)");
  EXPECT_EQ(of(2, true), "(x1+x0)");
  EXPECT_EQ(of(3, false), "(x0+(x2+x1))");
  EXPECT_EQ(of(3, true), "(x1+(x0+x2))");
  EXPECT_EQ(of(4, false), "(x0+((x2+x1)+x3))");
  EXPECT_EQ(of(4, true), "(x3+((x1+x2)+x0))");
  EXPECT_EQ(of(8, false), "(x0+((x4+((x2+x1)+x3))+((x6+x5)+x7)))");
  // The upper child of 8 would be 12; of 12 hosts it is 10.
  EXPECT_EQ(of(12, false), "(x0+((x8+((x4+((x2+x1)+x3))+((x6+x5)+x7)))+((x10+x9)+x11)))");
}

// Ranks that add somebody to their own.
std::set<Operand> inner_ranks(const Tree& tree) {
  std::set<Operand> inner;
  for (const Step& step : tree.steps)
    if (step.left < tree.ranks) inner.insert(step.left);
  return inner;
}

TEST(NcclTree, no_host_but_a_root_is_inner_in_both_trees) {
  for (std::int32_t hosts = 2; hosts <= 65; ++hosts) {
    const std::set<Operand> first = inner_ranks(host_tree(hosts_of_one(hosts), HostTree::balanced, false));
    const std::set<Operand> second = inner_ranks(host_tree(hosts_of_one(hosts), HostTree::balanced, true));
    std::size_t both = 0;
    for (const Operand host : first) both += second.count(host);
    EXPECT_LE(both, 2U) << hosts;
  }
}

TEST(NcclTree, copies_of_channels_have_the_trees_of_those_copied) {
  const std::uint64_t cell = 4096;
  Choice choice{.algorithm = Algorithm::tree, .channels = 6, .search_channels = 2};
  const Order order = *order_of(newest(), choice, shape(2, 6 * cell, {0, 1}));
  const std::string first = "(x0+x1)", second = "(x1+x0)";
  for (const auto& [channel, tree] :
       {std::pair{0, first}, {1, first}, {2, second}, {3, second}, {4, first}, {5, first}})
    EXPECT_EQ(text(order, static_cast<std::uint64_t>(channel) * cell), tree) << channel;
}

TEST(NcclPat, is_a_binomial_tree_on_the_distance_to_the_rank) {
  EXPECT_EQ(text_of(pat_tree(2, 1)), "(x0+x1)");
  EXPECT_EQ(text_of(pat_tree(3, 1)), "((x0+x1)+x2)");
  // By distance: ((x0+(x2+x3))+((x4+(x6+x7))+x5))+x1.
  EXPECT_EQ(text_of(pat_tree(8, 4)), "(((x0+(x6+x5))+((x4+(x2+x1))+x3))+x7)");
  EXPECT_EQ(text_of(pat_tree(8, 1)), "(((x0+((x4+(x2+x1))+x3))+(x6+x5))+x7)");
  const Choice choice{.collective = Collective::reduce_scatter, .algorithm = Algorithm::pat};
  EXPECT_EQ(text(choice, shape(3, 9), 0), "((x0+x1)+x2)");
  EXPECT_EQ(text(choice, shape(3, 9), 8), "((x2+x0)+x1)");
}

TEST(NcclPat, aggregates_by_ranks_and_then_by_size) {
  const std::uint64_t chunk = 65536;
  EXPECT_EQ(pat_aggregation(2, 4, chunk), 1);
  EXPECT_EQ(pat_aggregation(8, 4, chunk), 4);
  EXPECT_EQ(pat_aggregation(8, 1U << 30, chunk), 4);
  EXPECT_EQ(pat_aggregation(64, 1U << 30, chunk), 8);
  EXPECT_EQ(pat_aggregation(64, chunk / 2, chunk), 16);
  EXPECT_EQ(pat_aggregation(64, 4, chunk), 32);
  EXPECT_NE(pat_tree(64, 8), pat_tree(64, 32));
}

TEST(NcclPat, is_whole_for_all_ranks_and_aggregations) {
  for (std::int32_t ranks = 1; ranks <= 130; ++ranks) {
    EXPECT_TRUE(is_whole(pat_tree(ranks, 1))) << ranks;
    for (std::int32_t aggregation = 2; aggregation / 2 < ranks / 2; aggregation *= 2)
      EXPECT_TRUE(is_whole(pat_tree(ranks, aggregation))) << ranks << " by " << aggregation;
  }
}

TEST(NcclSymmetric, folds_from_rank_0_or_from_the_owner_on) {
  const Choice ll{.algorithm = Algorithm::symmetric_ll};
  EXPECT_EQ(text(ll, shape(4, 100), 99), "(((x0+x1)+x2)+x3)");
  const Choice ld{.algorithm = Algorithm::symmetric_ld};
  // 2 ranks, one block: a round is 16 KiB; 2 rounds, then one of 4 KiB, then 32 elements each.
  const std::uint64_t count = (32768 + 4096) / 4 + 70;
  const Order order = *order_of(newest(), ld, shape(2, count));
  EXPECT_EQ(text(order, 511), "(x0+x1)");
  EXPECT_EQ(text(order, 512), "(x1+x0)");
  EXPECT_EQ(text(order, 8191), "(x1+x0)");
  EXPECT_EQ(text(order, 8192), "(x0+x1)");
  EXPECT_EQ(text(order, 8192 + 128), "(x1+x0)");
  EXPECT_EQ(text(order, 9216), "(x0+x1)");
  EXPECT_EQ(text(order, 9216 + 32), "(x1+x0)");
  EXPECT_EQ(text(order, 9216 + 69), "(x0+x1)");
  const Choice scatter{.collective = Collective::reduce_scatter, .algorithm = Algorithm::symmetric_ld};
  EXPECT_EQ(text(scatter, shape(3, 6), 3), "((x1+x2)+x0)");
}

TEST(NcclOrder, is_whole_for_every_choice_and_shape) {
  const Algorithm algorithms[]{Algorithm::ring, Algorithm::tree,         Algorithm::pat,
                               Algorithm::nvls, Algorithm::symmetric_ll, Algorithm::symmetric_ld};
  int orders = 0;
  for (const Collective collective : {Collective::allreduce, Collective::reduce, Collective::reduce_scatter})
    for (const Algorithm algorithm : algorithms)
      for (const Protocol protocol : {Protocol::simple, Protocol::ll, Protocol::ll128})
        for (const std::int32_t ranks : {1, 2, 3, 4, 7, 8, 16, 33})
          for (const std::int32_t of_host : {1, 4, 64})
            for (const std::uint64_t count : {0, 1, 5, 4096, 70001})
              for (const std::int32_t channels : {1, 2, 5}) {
                Shape of = shape(ranks, count);
                of.type = ElementType::float16;
                for (std::int32_t rank = 0; rank < ranks; ++rank) of.hosts.push_back(rank / of_host);
                const Choice choice{
                    .collective = collective, .algorithm = algorithm, .protocol = protocol, .channels = channels};
                const auto order = order_of(newest(), choice, of);
                if (!order) continue;
                ++orders;
                ASSERT_TRUE(is_whole(*order))
                    << ranks << " ranks, " << count << " elements, " << channels << " channels";
                EXPECT_EQ(order->views.size(), 1U);  // all ranks have the same bits
              }
  EXPECT_GT(orders, 4000);
}

TEST(NcclOrder, there_is_none_for_what_nccl_does_not_have) {
  const auto named = [](std::string_view what, ReduceOp op = ReduceOp::sum, ElementType type = ElementType::float32) {
    Shape of = shape(4, 100);
    of.type = type;
    return reduction("2.30", what, of, op).has_value();
  };
  for (const std::string_view good : {"ring", "ring:64", "allreduce/ring/ll:2", "tree/ll128", "reduce/ring",
                                      "reduce-scatter/pat:3", "nvls", "symmetric-mc", "collnet-chain"})
    EXPECT_TRUE(named(good)) << good;
  for (const std::string_view wrong : {"", "ring:0", "ring:65", "ring:x", "ring/", "ring/ll64", "ring/ll/ll", "reduce",
                                       "reduce/tree", "pat", "tree@float32", "allreduce/allreduce/ring",
                                       "reduce-scatter/tree", "reduce/nvls", "reduce-scatter/pat/ll", "nvls/ll"})
    EXPECT_FALSE(named(wrong)) << wrong;
  EXPECT_FALSE(named("ring", ReduceOp::band));
  EXPECT_FALSE(named("reduce-scatter/pat", ReduceOp::avg));
  EXPECT_FALSE(named("symmetric-ll", ReduceOp::max));
  EXPECT_FALSE(named("symmetric-ll", ReduceOp::sum, ElementType::float64));
  EXPECT_TRUE(named("reduce-scatter/symmetric-ld", ReduceOp::avg, ElementType::bfloat16));
}

TEST(NcclOrder, says_where_nothing_is_guaranteed) {
  const auto of = [](std::string_view version, std::string_view what, ReduceOp op = ReduceOp::sum,
                     ElementType type = ElementType::float32) {
    Shape four = shape(4, 100);
    four.type = type;
    return reduction(version, what, four, op)->order.determinism;
  };
  EXPECT_EQ(of("2.30", "ring"), Determinism::run_to_run);
  EXPECT_EQ(of("2.28", "reduce-scatter/pat"), Determinism::run_to_run);
  for (const std::string_view undefined : {"nvls", "nvls-tree", "collnet-chain", "collnet-direct", "symmetric-mc"})
    EXPECT_EQ(of("2.30", undefined), Determinism::not_guaranteed) << undefined;
  for (const std::string_view unknown : {"2.18", "3.0", ""})
    EXPECT_EQ(of(unknown, "ring"), Determinism::not_guaranteed) << unknown;
  EXPECT_EQ(of("2.30", "ring/ll128", ReduceOp::avg), Determinism::not_guaranteed);
  EXPECT_EQ(of("2.30", "ring/ll128", ReduceOp::avg, ElementType::float16), Determinism::run_to_run);
  EXPECT_EQ(of("2.30", "ring/ll", ReduceOp::avg), Determinism::run_to_run);
}

TEST(NcclOrder, an_average_around_a_ring_is_fused_at_each_hop) {
  const auto reduced = reduction("2.30", "ring", shape(3, 12), ReduceOp::avg);
  ASSERT_TRUE(reduced);
  const float x[]{1.1F, 2.7F, -3.3F}, third = 1.0F / 3.0F;
  std::vector<float> result(12);
  Evaluator(reduced->order, reduced->arithmetic)
      .evaluate([&](std::int32_t rank, std::uint64_t, std::size_t count,
                    std::byte* out) { std::fill_n(reinterpret_cast<float*>(out), count, x[rank]); },
                0, 12, reinterpret_cast<std::byte*>(result.data()));
  for (std::size_t chunk = 0; chunk < 3; ++chunk) {
    const float begun = x[(chunk + 1) % 3] * third;
    const float expected = std::fma(x[chunk], third, std::fma(x[(chunk + 2) % 3], third, begun));
    EXPECT_EQ(result[4 * chunk], expected) << chunk;
  }
}

}  // namespace
}  // namespace petri::order::nccl

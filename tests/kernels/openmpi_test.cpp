// Open MPI's orders without Open MPI: that they are whole, what the sources' own examples say, and which sides operands
// are on. That they are the library's is shown by openmpi-orders.
#include "kernels/order/openmpi.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <regex>

#include "kernels/order/catalogue.hpp"
#include "kernels/order/openmpi_choice.hpp"
#include "kernels/order/openmpi_names.hpp"
#include "kernels/order/openmpi_parameters.hpp"

namespace petri::order::openmpi {
namespace {

using testing::ElementsAre;

constexpr std::array kCollectives{Collective::allreduce,      Collective::reduce,
                                  Collective::reduce_scatter, Collective::reduce_scatter_block,
                                  Collective::iallreduce,     Collective::ireduce};

Shape shape(std::int32_t ranks, std::uint64_t count) {
  return {.ranks = ranks, .count = count};
}

Order order(const Invocation& how, const Shape& shape) {
  const auto order = order_of("4.1", how, shape);
  EXPECT_TRUE(order);
  return order.value_or(Order{});
}

std::string text(const Invocation& how, const Shape& shape, std::uint64_t element = 0) {
  return text_of(tree_of(order(how, shape), element));
}

Invocation invocation(Collective collective, std::int32_t algorithm) {
  return {.collective = collective, .algorithm = algorithm};
}

TEST(OpenMpi, every_order_is_whole) {
  for (const Collective collective : kCollectives)
    for (std::int32_t algorithm = 0; algorithm <= algorithms(collective); ++algorithm)
      for (const std::int32_t ranks : {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 16, 17, 33})
        for (const std::uint64_t blocks : {0, 1, 3, 100})
          for (const bool plain : {true, false}) {
            Invocation how = invocation(collective, algorithm);
            how.commutative = plain;
            how.in_place = !plain;
            how.root = plain ? 0 : ranks - 1;
            how.segment_bytes = plain ? 0 : 100;
            const Shape whole = shape(ranks, blocks * static_cast<std::uint64_t>(ranks));
            EXPECT_TRUE(is_whole(order(how, whole))) << order(how, whole).name << ", " << ranks << " ranks";
          }
}

TEST(OpenMpi, trees_are_those_of_the_sources) {
  const auto reduce = [](std::int32_t algorithm, std::int32_t ranks) {
    return text(invocation(Collective::reduce, algorithm), shape(ranks, 64));
  };
  // A rank receives its first child's contribution where the result goes: its own is on the left, once.
  EXPECT_EQ(reduce(1, 4), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(reduce(2, 6), "(x5+(x4+(x3+(x0+(x1+x2)))))");
  EXPECT_EQ(reduce(3, 4), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(reduce(4, 7), "((x6+(x2+x4))+(x0+(x5+(x1+x3))))");
  EXPECT_EQ(reduce(5, 8), "(((x6+x7)+(x4+x5))+((x2+x3)+(x0+x1)))");
  EXPECT_EQ(reduce(6, 9), "(((x1+x0)+(x3+x2))+(x8+((x5+x4)+(x7+x6))))");
  EXPECT_EQ(text(invocation(Collective::allreduce, 3), shape(7, 1)), "(((x0+x1)+(x2+x3))+((x4+x5)+x6))");
  EXPECT_EQ(text(invocation(Collective::allreduce, 4), shape(3, 3), 1), "((x1+x2)+x0)");
  EXPECT_EQ(text(invocation(Collective::reduce_scatter, 3), shape(3, 3), 1), "((x2+x0)+x1)");
  EXPECT_EQ(text(invocation(Collective::iallreduce, 1), shape(3, 3), 1), "(x2+(x1+x0))");
  EXPECT_EQ(text(invocation(Collective::iallreduce, 2), shape(5, 3)), "(((x0+x1)+(x2+x3))+x4)");
}

TEST(OpenMpi, what_is_received_is_on_the_left_while_a_window_is_halved) {
  const Shape four = shape(4, 8), three = shape(3, 4);
  const Invocation halving = invocation(Collective::allreduce, 6);
  EXPECT_EQ(text(halving, four, 0), "((x3+x2)+(x1+x0))");
  EXPECT_EQ(text(halving, four, 2), "((x1+x0)+(x3+x2))");
  EXPECT_EQ(text(halving, four, 4), "((x2+x3)+(x0+x1))");
  EXPECT_EQ(text(halving, three, 0), "(x2+(x1+x0))");
  EXPECT_EQ(text(halving, three, 3), "((x0+x1)+x2)");
  const Order order = openmpi::order(halving, shape(4, 10));  // windows of 5 and 5, blocks of 2, 3, 2 and 3
  EXPECT_THAT(order.views[0][1].calls, ElementsAre(Call{2, 5}, Call{2, 5}, Call{0, 3}));
}

TEST(OpenMpi, in_place_the_root_has_its_own_on_the_right) {
  Invocation how = invocation(Collective::reduce, 5);
  how.in_place = true;
  how.root = 1;
  EXPECT_EQ(text(how, shape(4, 1)), "((x3+x0)+(x2+x1))");
  how.in_place = false;
  EXPECT_EQ(text(how, shape(4, 1)), "((x3+x0)+(x1+x2))");
}

std::vector<int> leaves(const std::string& tree) {
  std::vector<int> all;
  const std::regex leaf("x([0-9]+)");
  for (auto i = std::sregex_iterator(tree.begin(), tree.end(), leaf); i != std::sregex_iterator(); ++i)
    all.push_back(std::stoi((*i)[1]));
  return all;
}

TEST(OpenMpi, algorithms_for_operations_that_do_not_commute_keep_the_order_of_ranks) {
  const std::pair<Collective, std::int32_t> in_order[] = {{Collective::allreduce, 0},
                                                          {Collective::allreduce, 1},
                                                          {Collective::allreduce, 2},
                                                          {Collective::allreduce, 3},
                                                          {Collective::reduce, 0},
                                                          {Collective::reduce, 1},
                                                          {Collective::reduce, 6},
                                                          {Collective::reduce_scatter, 0},
                                                          {Collective::reduce_scatter, 4},
                                                          {Collective::reduce_scatter_block, 0},
                                                          {Collective::reduce_scatter_block, 2},
                                                          {Collective::reduce_scatter_block, 4},
                                                          {Collective::iallreduce, 0},
                                                          {Collective::ireduce, 0}};
  for (const auto& [collective, algorithm] : in_order)
    for (std::int32_t ranks = 2; ranks <= 40; ++ranks) {
      Invocation how = invocation(collective, algorithm);
      how.commutative = false;
      const Shape whole = shape(ranks, 100 * static_cast<std::uint64_t>(ranks));
      for (const std::uint64_t element : {std::uint64_t{0}, whole.count / 2, whole.count - 1}) {
        const std::vector<int> ranks_in_order = leaves(text(how, whole, element));
        EXPECT_TRUE(std::is_sorted(ranks_in_order.begin(), ranks_in_order.end())) << order(how, whole).name;
      }
    }
}

TEST(OpenMpi, falls_back_where_there_are_too_few_elements) {
  EXPECT_EQ(order(invocation(Collective::allreduce, 4), shape(5, 4)).trees,
            order(invocation(Collective::allreduce, 3), shape(5, 4)).trees);
  EXPECT_EQ(order(invocation(Collective::allreduce, 6), shape(5, 3)).trees,
            order(invocation(Collective::allreduce, 1), shape(5, 3)).trees);
  EXPECT_EQ(order(invocation(Collective::ireduce, 3), shape(5, 3)).trees,
            order(invocation(Collective::ireduce, 1), shape(5, 3)).trees);
}

TEST(OpenMpi, the_usual_choice_turns_at_its_borders) {
  EXPECT_EQ(usual_algorithm(Decision::allreduce, 2, 7, true), 4);
  EXPECT_EQ(usual_algorithm(Decision::allreduce, 2, 8, true), 3);
  EXPECT_EQ(usual_algorithm(Decision::allreduce, 17, 4096, true), 6);
  EXPECT_EQ(usual_algorithm(Decision::allreduce, 200, 100000, false), 2);
  EXPECT_EQ(usual_algorithm(Decision::reduce, 5, 400000, true), 1);
  EXPECT_EQ(usual_algorithm(Decision::reduce, 8, 400000, true), 5);
  EXPECT_EQ(usual_algorithm(Decision::reduce_scatter_block, 5000, 1U << 30, true), 4);
  EXPECT_THAT(borders(Decision::reduce_scatter, 8, true), ElementsAre(262144));
}

TEST(OpenMpi, hosts_are_reduced_before_each_other) {
  Shape two_hosts = shape(5, 100);
  two_hosts.hosts = {0, 1, 0, 1, 1};
  const Invocation han{.component = Component::han};
  // tuned's linear order within a host, then libnbc's binomial tree of the leaders, or its chain for whole segments.
  EXPECT_EQ(text(han, two_hosts), "((x0+x2)+(x1+(x3+x4)))");
  two_hosts.count = 50000;  // four segments, fragments of 8 KiB in all but the last
  EXPECT_EQ(text(han, two_hosts), "((x1+(x3+x4))+(x0+x2))");
  EXPECT_EQ(text(han, two_hosts, 49999), "((x0+x2)+(x1+(x3+x4)))");
  const Order segments = order(han, two_hosts);
  EXPECT_TRUE(is_whole(segments));
  EXPECT_EQ(segments.views[0].size(), 3 * 8U + 1);
  EXPECT_FALSE(order_of("4.1", {.component = Component::han, .in_place = true}, two_hosts));
  for (const std::int32_t hosts : {2, 3, 5})
    for (const Collective collective : {Collective::allreduce, Collective::reduce}) {
      Shape layout = shape(15, 20000);
      for (std::int32_t rank = 0; rank < 15; ++rank) layout.hosts.push_back(rank % hosts);
      const Invocation how{.collective = collective, .component = Component::han, .root = 7 % layout.ranks};
      EXPECT_TRUE(is_whole(order(how, layout))) << hosts;
    }
  EXPECT_EQ(order(han, shape(5, 100)).trees, order({}, shape(5, 100)).trees);
}

TEST(OpenMpi, arrival_is_not_guaranteed) {
  const Invocation adapt{.collective = Collective::reduce, .component = Component::adapt};
  EXPECT_EQ(order(adapt, shape(5, 10)).determinism, Determinism::not_guaranteed);
  Invocation pipeline = adapt;
  pipeline.algorithm = 4;
  EXPECT_EQ(order(pipeline, shape(5, 10)).determinism, Determinism::run_to_run);
}

TEST(OpenMpi, has_no_order_for_what_was_not_measured_or_cannot_be_called) {
  EXPECT_FALSE(order_of("5.0", {}, shape(4, 10)));
  EXPECT_FALSE(order_of("4.1", invocation(Collective::allreduce, 7), shape(4, 10)));
  EXPECT_FALSE(order_of("4.1", {.collective = Collective::reduce, .root = 4}, shape(4, 10)));
  EXPECT_FALSE(order_of("4.1", {.collective = Collective::reduce_scatter_block}, shape(4, 10)));
  EXPECT_FALSE(order_of("4.1", {.collective = Collective::reduce_scatter, .counts = {1, 2, 3}}, shape(3, 10)));
}

TEST(OpenMpi, is_in_the_catalogue_by_name) {
  const auto text_named = [](std::string_view name) {
    const auto reduction = reduction_named(name, shape(4, 100), ReduceOp::sum);
    return reduction ? text_of(tree_of(reduction->order, 0)) : "none";
  };
  EXPECT_EQ(text_named("openmpi-4.1/reduce:5"), "((x2+x3)+(x0+x1))");
  EXPECT_EQ(text_named("openmpi-4.1/reduce:5+root=1+in-place"), "((x3+x0)+(x2+x1))");
  EXPECT_EQ(text_named("openmpi-4.1/reduce:2+fanout=1+segment=64"), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(text_named("openmpi-4.1/allreduce+sm"), "(x0+(x1+(x2+x3)))");
  EXPECT_EQ(text_named("openmpi-4.1/reduce:6+in-order"), "((x0+x1)+(x2+x3))");
  for (const std::string_view wrong :
       {"openmpi-4.1/", "openmpi-4.1/bcast", "openmpi-4.1/reduce:", "openmpi-4.1/reduce:0", "openmpi-4.1/reduce:8",
        "openmpi-4.1/reduce+", "openmpi-4.1/reduce+root", "openmpi-4.1/reduce+root=4", "openmpi-4.1/reduce+root=-1",
        "openmpi-4.1/reduce+fanout=0", "openmpi-4.1/reduce+root=1x"})
    EXPECT_EQ(text_named(wrong), "none") << wrong;
  const auto reduction = reduction_named("openmpi-4.1/reduce", shape(4, 100), ReduceOp::min);
  EXPECT_EQ(reduction->arithmetic.lanes, 4U);
  EXPECT_FALSE(reduction_named("openmpi-4.1/reduce", shape(4, 100), ReduceOp::avg));
  EXPECT_EQ(reduction_named("openmpi-5.0/reduce", shape(4, 100), ReduceOp::sum)->order.determinism,
            Determinism::not_guaranteed);
}

TEST(OpenMpi, parameters_force_what_an_order_names) {
  using testing::IsEmpty;
  using testing::Pair;
  using testing::UnorderedElementsAre;
  const auto parameters = [](std::string_view what) { return parameters_of(invocation_named(what).value()); };
  EXPECT_THAT(parameters("allreduce"), IsEmpty());
  EXPECT_THAT(parameters("reduce+root=1+in-place+segment=64"), IsEmpty());
  EXPECT_THAT(parameters("reduce_scatter_block:4"),
              UnorderedElementsAre(Pair("coll_tuned_use_dynamic_rules", "1"),
                                   Pair("coll_tuned_reduce_scatter_block_algorithm", "4")));
  EXPECT_THAT(parameters("reduce:2+fanout=2+segment=64"),
              UnorderedElementsAre(Pair("coll_tuned_use_dynamic_rules", "1"), Pair("coll_tuned_reduce_algorithm", "2"),
                                   Pair("coll_tuned_reduce_algorithm_segmentsize", "64"),
                                   Pair("coll_tuned_reduce_algorithm_chain_fanout", "2")));
  EXPECT_THAT(parameters("ireduce:3"), UnorderedElementsAre(Pair("coll_libnbc_ireduce_algorithm", "3")));
  EXPECT_THAT(parameters("allreduce+han"), UnorderedElementsAre(Pair("coll_han_priority", "90")));
  EXPECT_THAT(parameters("reduce:4+adapt"),
              UnorderedElementsAre(Pair("coll_adapt_priority", "90"), Pair("coll_adapt_reduce_algorithm", "4")));
  EXPECT_EQ(parameters("reduce+adapt"), parameters("reduce:1+adapt"));
}

TEST(OpenMpi, a_version_is_its_series) {
  EXPECT_EQ(version_of("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4"), "4.1");
  EXPECT_EQ(version_of("Open MPI v5.0.7, package: …"), "5.0");
  EXPECT_EQ(version_of("Open MPI v10.12rc1"), "10.12");
  for (const std::string_view other :
       {"MPICH Version: 4.1", "Open MPI v", "Open MPI v4", "Open MPI v4.", "Open MPI v.1"})
    EXPECT_FALSE(version_of(other)) << other;
}

}  // namespace
}  // namespace petri::order::openmpi

// What is said of names that are no orders.
#include "harness/compare/order_problem.hpp"

#include <gmock/gmock.h>

namespace petri::compare {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

struct Case {
  std::string_view name, end;
  ReduceOp op = ReduceOp::sum;
  ElementType type = ElementType::float32;
};

class OrderProblem : public ::testing::TestWithParam<Case> {};

TEST_P(OrderProblem, is_named_with_the_nearest_order) {
  const Case& wrong = GetParam();
  const order::Shape shape{.ranks = 8, .count = 100, .type = wrong.type};
  ASSERT_FALSE(order::reduction_named(wrong.name, shape, wrong.op));
  EXPECT_THAT(text_of_problem(wrong.name, shape, wrong.op), EndsWith(wrong.end));
}

INSTANTIATE_TEST_SUITE_P(
    Textbook, OrderProblem,
    ::testing::Values(
        Case{"ring:1000000", ": CHANNELS of ring is a whole number from 1 to 65536, not '1000000'"},
        Case{"ring:0@float64", ": CHANNELS of ring is a whole number from 1 to 65536, not '0'"},
        Case{"tree:two", ": ARITY of tree is a whole number from 1 to 1048576, not 'two'"},
        Case{"arrival:99999999999999999999",
             ": SEED of arrival is a whole number from 0 to 18446744073709551615, not '99999999999999999999'"},
        Case{"blocks:", ": COUNT of blocks is a whole number from 1 to 1048576, not ''"},
        Case{"sequential:2", ": sequential takes no number; did you mean 'sequential'?"},
        Case{"kary:3", ": no order is called 'kary'; did you mean 'tree:3'?"},
        Case{"kary:0", ": no order is called 'kary'"},
        Case{"rnig:2@float64", ": no order is called 'rnig'; did you mean 'ring:2@float64'?"},
        Case{"nothing-like-it", ": no order is called 'nothing-like-it'"}, Case{"", ": no order is called ''"},
        Case{"ring@flaot64", ": 'flaot64' is no type that is summed in; did you mean 'ring@float64'?"},
        Case{"ring@float32", ": int32 is not combined in float32", ReduceOp::sum, ElementType::int32},
        Case{"ring", ": there is no band of float32", ReduceOp::band},
        Case{"openmpi-4.1",
             ": a library's order is LIBRARY-VERSION/WHAT, such as openmpi-4.1/allreduce[:ALGORITHM][+OPTION…]"}));

INSTANTIATE_TEST_SUITE_P(
    Libraries, OrderProblem,
    ::testing::Values(
        Case{"opnempi-4.1/allreduce:3", ": no library is called 'opnempi'; did you mean 'openmpi-4.1/allreduce:3'?"},
        Case{"openmpi/allreduce",
             ": a library's version stands behind its name; did you mean 'openmpi-4.1/allreduce'?"},
        Case{"openmpi-4/allreduce", ": '4' is no version, as in openmpi-4.1"},
        Case{"openmpi-4.1/alreduce:3",
             ": Open MPI 4.1 has no reduction 'alreduce'; did you mean 'openmpi-4.1/allreduce:3'?"},
        Case{"openmpi-4.1/allreduce:9", ": allreduce of Open MPI 4.1 has the algorithms 1 to 6, not 9"},
        Case{"openmpi-4.1/allreduce:0", ": ALGORITHM of allreduce is a whole number from 1 to 6, not '0'"},
        Case{"openmpi-4.1/allreduce:3+han",
             ": allreduce by this component of Open MPI 4.1 has no algorithms to choose from"},
        Case{"openmpi-4.1/reduce:1+root=8", ": the root 8 is none of the ranks 0 to 7"},
        Case{"openmpi-4.1/reduce:1+root=x", ": root is a whole number, not 'x'"},
        Case{"openmpi-4.1/reduce:1+rot=1", "adapt; did you mean 'openmpi-4.1/reduce:1+root=1'?"},
        Case{"openmpi-4.1/reduce+in-palce", "adapt; did you mean 'openmpi-4.1/reduce+in-place'?"},
        Case{"openmpi-4.1/reduce_scatter_block",
             ": blocks of reduce_scatter_block are equal, and 100 elements are no multiple of 8 ranks"},
        Case{"openmpi-4.1/allreduce", ": MPI has no average", ReduceOp::avg},
        Case{"nccl-2.30/rign:2", ": NCCL has no algorithm 'rign'; did you mean 'nccl-2.30/ring:2'?"},
        Case{"nccl-2.30/reduce-scater/pat",
             ": NCCL has no collective 'reduce-scater'; did you mean 'nccl-2.30/reduce-scatter/pat'?"},
        Case{"nccl-2.30/allreduce", ": an algorithm is to follow allreduce; did you mean 'nccl-2.30/allreduce/ring'?"},
        Case{"nccl-2.30/ring/ll182", ": NCCL has no protocol 'll182'; did you mean 'nccl-2.30/ring/ll128'?"},
        Case{"nccl-2.30/ring:65", ": CHANNELS is a whole number from 1 to 64, not '65'"},
        Case{"nccl-2.30/ring@float64", ": the type that NCCL sums in is its own: no @TYPE"},
        Case{"nccl-2.30/pat", ": NCCL has no allreduce by pat with the protocol simple"},
        Case{"nccl-2.30/ring", ": NCCL has no band of float32", ReduceOp::band},
        Case{"nccl-2.30/symmetric-ll", ": symmetric-ll of NCCL 2.30 makes no average", ReduceOp::avg}));

TEST(OrderProblem, is_one_line_without_controls) {
  EXPECT_THAT(text_of_problem("a\nb\x1b[2J", {.ranks = 1, .count = 1}, ReduceOp::sum),
              StartsWith("there is no order 'a b\xef\xbf\xbd[2J' for float32 sum on 1 rank: "));
}

}  // namespace
}  // namespace petri::compare

// The trees of ranks that Open MPI 4.1 reduces along (ompi/mca/coll/base/coll_base_topo.c), and the association trees
// that come out of them (coll_base_reduce.c).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/order/order.hpp"

namespace petri::order::openmpi {

// Who receives from whom: `children` of each rank, in the order in which they are combined.
struct Topology {
  std::int32_t root = 0;
  std::vector<std::vector<std::int32_t>> children;
};

// `fanout` chains below the root; one chain of all ranks for a fanout of 1 and below. A rank's child is its neighbour.
Topology chains(std::int32_t ranks, std::int32_t root, std::int32_t fanout);
// The children of a rank on level L of the tree are fanout^L, 2·fanout^L … above it.
Topology level_tree(std::int32_t ranks, std::int32_t root, std::int32_t fanout);
// Children at distances 1, 2, 4 … as long as the rank has no bit there.
Topology in_order_binomial(std::int32_t ranks, std::int32_t root);
// Children at distances of the powers of two above the rank.
Topology binomial(std::int32_t ranks, std::int32_t root);
// The last rank is the root of all, and of each subtree: operands stay in the order of ranks.
Topology in_order_binary(std::int32_t ranks);

// What the generic reduction along a topology computes. With an operation that commutes, a rank receives its first
// child's contribution where the result goes, and its own is the left operand of the first step; with one that does
// not, and at a root that reduces in place, its own is what the children's are combined into from the left.
Tree tree_along(const Topology& topology, bool commutative, bool in_place);

// x[last] op'd from the left by each rank before it: x0 + (x1 + (… + x[last])).
Tree linear_tree(std::int32_t ranks);

// COLL_BASE_COMPUTED_SEGCOUNT: the elements of a segment of `bytes`; all of them where it is 0 or larger than the
// vector.
std::uint64_t elements_of_segment(const Shape& shape, std::uint64_t bytes);

// Cut into segments of `elements`, all with one tree.
Order segmented(std::string name, const Shape& shape, Tree tree, std::uint64_t elements);

}  // namespace petri::order::openmpi

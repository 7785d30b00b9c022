// Those of Open MPI 4.1's algorithms that leave each rank with a block of the result before anything is gathered
// (ompi/mca/coll/base/coll_base_{allreduce,reduce,reduce_scatter,reduce_scatter_block}.c). They combine ever smaller
// ranges: each step tells the range of its call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/order/order.hpp"

namespace petri::order::openmpi {

// Elements of each rank's block.
using Counts = std::vector<std::uint64_t>;

// Around a ring, in `blocks` as even as they can be, each cut into `phases`; block b begins with rank b + start. The
// received partial result is the left operand, or the right one.
enum class Received { left, right };
Order ring(std::string name, const Shape& shape, std::int32_t start, std::uint64_t phases = 1,
           Received received = Received::left);
// The same with blocks of given sizes.
Order ring(std::string name, const Shape& shape, std::int32_t start, const Counts& counts);

// Rabenseifner's: the window is halved with distances 1, 2, 4 …, so that blocks lie in the order of reversed bits. The
// received half is always the left operand. Needs count >= the largest power of two <= ranks.
Order rabenseifner(std::string name, const Shape& shape);

// Distances from the largest down over blocks of ranks; the received blocks are the left operand.
Order recursive_halving(std::string name, const Shape& shape, const Counts& counts);

// Distances 1, 2, 4 … over blocks; the lower rank is the left operand. With a power of two ranks and equal blocks, the
// blocks may lie in the order of reversed bits meanwhile.
Order butterfly(std::string name, const Shape& shape, const Counts& counts, bool bits_reversed);

// Distances 1, 2, 4 … over all blocks but those of the ranks that it comes from, for any number of ranks; `count`
// elements each. The received blocks are the left operand where the operation commutes, else the lower ranks' ones.
Order doubling_of_blocks(std::string name, const Shape& shape, std::uint64_t count, bool commutative);

}  // namespace petri::order::openmpi

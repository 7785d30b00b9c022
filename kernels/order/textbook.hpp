// The orders of the literature, for one result that all ranks share unless said otherwise. Libraries have their own
// variants of them.
#pragma once

#include <cstdint>

#include "kernels/order/order.hpp"

namespace petri::order {

// ((x0+x1)+x2)+…
Order sequential(const Shape& shape);
// Each rank begins with its own contribution and adds the others in ascending order: ranks of one run may disagree.
Order own_first(const Shape& shape);
// Halves, the first the longer one: error grows with log2 of the ranks (Higham, "The accuracy of floating point
// summation", 1993).
Order pairwise(const Shape& shape);
// A tree over ranks as over a heap: the children of r are arity·r+1 … arity·r+arity, added in this order to its own.
// Arity 1 is the chain x0+(x1+(x2+…)). Needs arity >= 1.
Order heap_tree(const Shape& shape, std::int32_t arity);
// Sum over bits: own + child 1 + child 2 + child 4 …, rank 0 being the root.
Order binomial(const Shape& shape);
// Distances 1, 2, 4 …, the lower rank on the left; ranks beyond a power of two are folded into a neighbour first
// (Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005).
Order recursive_doubling(const Shape& shape);
// Rabenseifner's: the same folding, then distances from the largest down, each halving the vector. All elements of a
// block have one tree.
Order recursive_halving(const Shape& shape);
// Reduce-scatter around a ring, block b of `ranks` blocks beginning with rank b; with several channels the vector is
// cut into as many parts, each of them into blocks. Needs channels >= 1.
Order ring(const Shape& shape, std::int32_t channels = 1);
// Two trees, in each of which the inner ranks of the other are leaves; one sums the first half, the other the second
// (Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009). A rank adds
// its lower child, then its upper one to its own.
Order double_binary_tree(const Shape& shape);
// Ranks of each host in ascending order, then the hosts in the order of their numbers.
Order by_host(const Shape& shape);
// `count` blocks of neighbouring ranks, each summed in ascending order, then the blocks: what a program does that adds
// up its local share before it reduces, for data that is spread over `count` processes. Needs count >= 1.
Order blocks(const Shape& shape, std::int32_t count);
// One of the orders in which contributions can arrive, drawn by `seed`; a library that sums in this order guarantees
// none.
Order arrival(const Shape& shape, std::uint64_t seed);

}  // namespace petri::order

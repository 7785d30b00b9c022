// ompi/mca/coll/tuned of v4.1.4, which calls the algorithms of ompi/mca/coll/base.
#include <bit>

#include "kernels/order/openmpi_blocks.hpp"
#include "kernels/order/openmpi_choice.hpp"
#include "kernels/order/openmpi_parts.hpp"
#include "kernels/order/openmpi_topology.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order::openmpi {
namespace {

std::uint64_t bytes_of(const Shape& shape) {
  return shape.count * shape.size_of_element();
}

// The usual choice has no segments, and a chain without fan-out.
Invocation settled(Invocation how, Decision decision, const Shape& shape, std::uint64_t bytes) {
  if (how.algorithm == 0) {
    how.algorithm = usual_algorithm(decision, shape.ranks, bytes, how.commutative);
    how.segment_bytes = 0;
    how.fanout = 0;
  }
  return how;
}

// A collective that begins with a reduction to rank 0, which is chosen as usual.
Order reduce_first(std::string name, const Invocation& how, const Shape& shape, bool in_place) {
  return tuned_reduce(std::move(name),
                      {.collective = Collective::reduce, .commutative = how.commutative, .in_place = in_place}, shape);
}

Order named(std::string name, Order order) {
  order.name = std::move(name);
  order.determinism = Determinism::run_to_run;
  return order;
}

Order ring_in_phases(std::string name, const Shape& shape, std::uint64_t segment_bytes) {
  const std::uint64_t elements = elements_of_segment(shape, segment_bytes);
  const std::uint64_t round = static_cast<std::uint64_t>(shape.ranks) * elements;
  if (shape.count < round) return ring(std::move(name), shape, 0);
  const std::uint64_t rest = shape.count % round;
  const bool one_more = rest >= static_cast<std::uint64_t>(shape.ranks) && rest > round / 2;
  return ring(std::move(name), shape, 0, shape.count / round + (one_more ? 1 : 0));
}

Counts counts_of(const Invocation& how, const Shape& shape) {
  if (!how.counts.empty()) return how.counts;
  Counts counts;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank)
    counts.push_back(block_of(shape.count, shape.ranks, rank).count);
  return counts;
}

bool halves_down_to_all(const Invocation& how, const Shape& shape) {
  return how.commutative && shape.count >= std::bit_floor(static_cast<std::uint64_t>(shape.ranks));
}

}  // namespace

Order tuned_allreduce(std::string name, const Invocation& invocation, const Shape& shape) {
  const Invocation how = settled(invocation, Decision::allreduce, shape, bytes_of(shape));
  const bool fewer_than_ranks = shape.count < static_cast<std::uint64_t>(shape.ranks);
  switch (how.algorithm) {
    case 2: return reduce_first(std::move(name), how, shape, how.in_place);
    case 3: return named(std::move(name), recursive_doubling(shape));
    case 4:
      return fewer_than_ranks ? named(std::move(name), recursive_doubling(shape)) : ring(std::move(name), shape, 0);
    case 5:
      return fewer_than_ranks ? named(std::move(name), recursive_doubling(shape))
                              : ring_in_phases(std::move(name), shape, how.segment_bytes);
    case 6:
      if (halves_down_to_all(how, shape)) return rabenseifner(std::move(name), shape);
      [[fallthrough]];
    default: return uniform(std::move(name), shape, linear_tree(shape.ranks));
  }
}

Order tuned_reduce(std::string name, const Invocation& invocation, const Shape& shape) {
  const Invocation how = settled(invocation, Decision::reduce, shape, bytes_of(shape));
  const auto along = [&](const Topology& topology, bool in_place) {
    return segmented(name, shape, tree_along(topology, how.commutative, in_place),
                     elements_of_segment(shape, how.segment_bytes));
  };
  switch (how.algorithm) {
    case 2: return along(chains(shape.ranks, how.root, how.fanout), how.in_place);
    case 3: return along(chains(shape.ranks, how.root, 1), how.in_place);
    case 4: return along(level_tree(shape.ranks, how.root, 2), how.in_place);
    case 5: return along(in_order_binomial(shape.ranks, how.root), how.in_place);
    // Reduced to the last rank, which sends the result to another root.
    case 6: return along(in_order_binary(shape.ranks), how.in_place && how.root == shape.ranks - 1);
    case 7:
      if (shape.ranks > 1 && halves_down_to_all(how, shape)) return rabenseifner(std::move(name), shape);
      [[fallthrough]];
    default: return uniform(std::move(name), shape, linear_tree(shape.ranks));
  }
}

Order tuned_reduce_scatter(std::string name, const Invocation& invocation, const Shape& shape) {
  const Invocation how = settled(invocation, Decision::reduce_scatter, shape, bytes_of(shape));
  switch (how.algorithm) {
    case 2: return recursive_halving(std::move(name), shape, counts_of(how, shape));
    case 3: return ring(std::move(name), shape, 1, counts_of(how, shape));
    case 4: return butterfly(std::move(name), shape, counts_of(how, shape), false);
    default: return reduce_first(std::move(name), how, shape, how.in_place);
  }
}

Order tuned_reduce_scatter_block(std::string name, const Invocation& invocation, const Shape& shape) {
  const std::uint64_t block = shape.count / static_cast<std::uint64_t>(shape.ranks);
  const Invocation how = settled(invocation, Decision::reduce_scatter_block, shape, block * shape.size_of_element());
  const Counts counts(static_cast<std::size_t>(shape.ranks), block);
  switch (how.algorithm) {
    case 2: return doubling_of_blocks(std::move(name), shape, block, how.commutative);
    case 3:
      if (how.commutative) return recursive_halving(std::move(name), shape, counts);
      break;
    case 4:
      return butterfly(std::move(name), shape, counts, std::has_single_bit(static_cast<std::uint32_t>(shape.ranks)));
    default: break;
  }
  return reduce_first(std::move(name), how, shape, false);
}

}  // namespace petri::order::openmpi

// ompi/mca/coll/{libnbc,sm,adapt} of v4.1.4.
#include <algorithm>
#include <bit>
#include <numeric>

#include "kernels/order/allowance.hpp"
#include "kernels/order/openmpi_blocks.hpp"
#include "kernels/order/openmpi_parts.hpp"
#include "kernels/order/openmpi_topology.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order::openmpi {
namespace {

constexpr std::uint64_t kSmallMessage = 65536;       // nbc_iallreduce.c, nbc_ireduce.c
constexpr std::uint64_t kChainFragment = 16384 / 2;  // nbc_ireduce.c
constexpr std::uint64_t kSharedFragment = 8192;      // coll_sm_fragment_size
constexpr std::uint64_t kAdaptSegment = 163740;      // coll_adapt_reduce_segment_size

bool can_halve(const Invocation& how, const Shape& shape) {
  return how.commutative && shape.count >= std::bit_floor(static_cast<std::uint64_t>(shape.ranks));
}

// libnbc takes rank 0 and the root for each other.
std::vector<Operand> swapped(std::int32_t ranks, std::int32_t root) {
  std::vector<Operand> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[0], order[static_cast<std::size_t>(root)]);
  return order;
}

// What a rank has is the left operand, what it receives the right one.
Tree binomial_from_own(std::int32_t ranks, std::int32_t root) {
  TreeMaker maker(ranks);
  std::vector<Operand> sums = swapped(ranks, root);
  for (std::int32_t rank = ranks - 1; rank >= 0; --rank)
    for (std::int32_t bit = 1; (rank & bit) == 0 && rank + bit < ranks; bit *= 2)
      sums[static_cast<std::size_t>(rank)] =
          maker.combine(sums[static_cast<std::size_t>(rank)], sums[static_cast<std::size_t>(rank + bit)]);
  return maker.take();
}

Order chain_in_fragments(std::string name, const Invocation& how, const Shape& shape) {
  const std::vector<Operand> order = swapped(shape.ranks, how.root);
  TreeMaker maker(shape.ranks);
  Operand sum = order.back();
  for (auto rank = static_cast<std::size_t>(shape.ranks - 1); rank-- > 0;) {
    const bool received_first = rank == 0 && how.in_place;
    sum = received_first ? maker.combine(sum, order[rank]) : maker.combine(order[rank], sum);
  }
  Order result = uniform(std::move(name), shape, maker.take());
  const std::uint64_t bytes = shape.count * shape.size_of_element();
  const std::uint64_t fragments = (bytes + kChainFragment - 1) / kChainFragment;
  if (fragments < 2) return result;
  View& view = result.views.front();
  view.clear();
  Allowance::require(fragments * sizeof(Part));
  const std::uint64_t each = shape.count / fragments;
  for (std::uint64_t i = 0; i < fragments; ++i)
    append(view, {i * each, i + 1 < fragments ? each : shape.count - i * each, 0, 0});
  return result;
}

}  // namespace

Order libnbc_iallreduce(std::string name, const Invocation& how, const Shape& shape) {
  const std::uint64_t bytes = shape.count * shape.size_of_element();
  std::int32_t algorithm = how.algorithm;
  if (algorithm == 0) {
    const bool simple = shape.ranks < 4 || bytes < kSmallMessage || !how.commutative || how.in_place;
    algorithm = simple ? 2 : 3;
  }
  if (algorithm == 3 && !can_halve(how, shape)) algorithm = 1;
  switch (algorithm) {
    case 2: return uniform(std::move(name), shape, binomial_from_own(shape.ranks, 0));
    case 3: return rabenseifner(std::move(name), shape);
    case 4: {
      Order order = recursive_doubling(shape);
      order.name = std::move(name);
      order.determinism = Determinism::run_to_run;
      return order;
    }
    default: return ring(std::move(name), shape, -1, 1, how.in_place ? Received::left : Received::right);
  }
}

Order libnbc_ireduce(std::string name, const Invocation& how, const Shape& shape) {
  const std::uint64_t bytes = shape.count * shape.size_of_element();
  const bool halves = shape.ranks > 2 && can_halve(how, shape);
  std::int32_t algorithm = how.algorithm;
  if (algorithm == 0) algorithm = halves ? 3 : shape.ranks > 4 || bytes < kSmallMessage || !how.commutative ? 2 : 1;
  if (algorithm == 3 && halves) return rabenseifner(std::move(name), shape);
  if (algorithm == 2)
    return uniform(std::move(name), shape, binomial_from_own(shape.ranks, how.commutative ? how.root : 0));
  return chain_in_fragments(std::move(name), how, shape);
}

Order sm_reduce(std::string name, const Shape& shape) {
  return segmented(std::move(name), shape, linear_tree(shape.ranks), kSharedFragment / shape.size_of_element());
}

Order adapt_reduce(std::string name, const Invocation& how, const Shape& shape) {
  const Topology topology = [&] {
    switch (how.algorithm) {
      case 2: return in_order_binomial(shape.ranks, how.root);
      case 3: return level_tree(shape.ranks, how.root, 2);
      case 4: return chains(shape.ranks, how.root, 1);
      case 5: return chains(shape.ranks, how.root, 4);
      case 6: return level_tree(shape.ranks, how.root, std::clamp(shape.ranks - 1, 1, 32));
      default: return binomial(shape.ranks, how.root);
    }
  }();
  Order order = segmented(std::move(name), shape, tree_along(topology, true, how.in_place),
                          elements_of_segment(shape, kAdaptSegment));
  // With one child each there is nothing to arrive in another order.
  const bool one_child_each = std::all_of(topology.children.begin(), topology.children.end(),
                                          [](const auto& children) { return children.size() <= 1; });
  if (!one_child_each) order.determinism = Determinism::not_guaranteed;
  return order;
}

}  // namespace petri::order::openmpi

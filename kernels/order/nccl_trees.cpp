#include "kernels/order/nccl_trees.hpp"

#include <bit>
#include <optional>

namespace petri::order::nccl {
namespace {

struct Children {
  std::optional<std::int32_t> first, second;
};

// A binary tree over 0 … n-1 that alternates leaves and inner nodes: node 0 has one child, the others those at the
// distance of half their last set bit, the upper one coming nearer where it is out of bounds.
Children children_of(std::int32_t node, std::int32_t n) {
  if (node == 0) {
    if (n == 1) return {};
    return {std::nullopt, static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(n)) / 2)};
  }
  const std::int32_t distance = (node & -node) / 2;
  if (distance == 0) return {};
  Children children{node - distance, std::nullopt};
  for (std::int32_t d = distance; d > 0 && !children.second; d /= 2)
    if (node + d < n) children.second = node + d;
  return children;
}

class HostTrees {
 public:
  HostTrees(const std::vector<std::vector<std::int32_t>>& chains, HostTree pattern, bool second)
      : chains_(chains), pattern_(pattern), hosts_(static_cast<std::int32_t>(chains.size())), second_(second) {}

  Operand host(TreeMaker& maker, std::int32_t node) const {
    const std::vector<std::int32_t>& chain = chains_[static_cast<std::size_t>(host_of(node))];
    const bool alone = chain.size() == 1;
    const std::size_t first_at = alone || pattern_ == HostTree::first ? 0 : 1;
    const std::size_t second_at = alone || pattern_ != HostTree::second ? 0 : 1;
    const Children children = children_of(node, hosts_);
    std::optional<Operand> below;
    for (std::size_t i = chain.size(); i-- > 0;) {
      Operand sum = chain[i];
      if (below) sum = maker.combine(sum, *below);
      if (i == first_at && children.first) sum = maker.combine(sum, host(maker, *children.first));
      if (i == second_at && children.second) sum = maker.combine(sum, host(maker, *children.second));
      below = sum;
    }
    return *below;
  }

 private:
  // The second tree is the first one over hosts by other numbers.
  std::int32_t host_of(std::int32_t node) const {
    if (!second_) return node;
    return hosts_ % 2 == 0 ? hosts_ - 1 - node : (node + 1) % hosts_;
  }

  const std::vector<std::vector<std::int32_t>>& chains_;
  HostTree pattern_;
  std::int32_t hosts_;
  bool second_;
};

// The bits of `value` below `size`, a power of two, mirrored and inverted.
std::int32_t mirrored_inverse(std::int32_t value, std::int32_t size) {
  std::int32_t result = 0;
  for (std::int32_t bit = 1, mirrored = size / 2; bit < size; bit *= 2, mirrored /= 2)
    if ((value & bit) == 0) result += mirrored;
  return result;
}

// The sums on their way to one rank, by distance from it. A rank at distance s passes its sum on over the last set bit
// of s, and the phases of the algorithm say which distances do so when.
class Pat {
 public:
  explicit Pat(std::int32_t ranks) : ranks_(ranks), maker_(ranks), sums_(static_cast<std::size_t>(ranks)) {
    for (std::int32_t s = 0; s < ranks; ++s) sums_[static_cast<std::size_t>(s)] = s == 0 ? 0 : ranks - s;
  }

  void pass_on(std::int32_t distance) {
    if (distance >= ranks_) return;
    Operand& sum = sums_[static_cast<std::size_t>(distance - (distance & -distance))];
    sum = maker_.combine(sum, sums_[static_cast<std::size_t>(distance)]);
  }

  Tree take() { return maker_.take(); }

 private:
  std::int32_t ranks_;
  TreeMaker maker_;
  std::vector<Operand> sums_;
};

}  // namespace

Tree ring_tree(std::span<const std::int32_t> ring, std::size_t first) {
  TreeMaker maker(static_cast<std::int32_t>(ring.size()));
  Operand sum = ring[first % ring.size()];
  for (std::size_t i = 1; i < ring.size(); ++i) sum = maker.combine(ring[(first + i) % ring.size()], sum);
  return maker.take();
}

Tree host_tree(const std::vector<std::vector<std::int32_t>>& chains, HostTree pattern, bool second) {
  std::size_t ranks = 0;
  for (const auto& chain : chains) ranks += chain.size();
  TreeMaker maker(static_cast<std::int32_t>(ranks));
  HostTrees(chains, pattern, second).host(maker, 0);
  return maker.take();
}

Tree pat_tree(std::int32_t ranks, std::int32_t aggregation) {
  Pat pat(ranks);
  if (ranks == 1) return pat.take();
  const auto power = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(ranks)));
  const std::int32_t delta = power / aggregation;
  // Distances within a multiple of delta, from the largest down; those at 1 wait for the last steps.
  for (std::int32_t within = delta - 1; within > 1; --within)
    for (std::int32_t a = 0; a < aggregation; ++a) pat.pass_on(mirrored_inverse(a, aggregation) * delta + within);
  // Odd multiples of delta, twice delta, … : first what is one step above each of them, then they themselves.
  for (std::int32_t scale = 1; scale < aggregation; scale *= 2) {
    const std::int32_t steps = aggregation / (2 * scale);
    const auto multiple = [&](std::int32_t a) { return (2 * mirrored_inverse(a, steps) + 1) * scale * delta; };
    for (std::int32_t a = 0; a < steps; ++a) pat.pass_on(multiple(a) + 1);
    for (std::int32_t a = 0; a < steps; ++a) pat.pass_on(multiple(a));
  }
  pat.pass_on(1);
  return pat.take();
}

std::int32_t pat_aggregation(std::int32_t ranks, std::uint64_t channel_bytes, std::uint64_t chunk_bytes) {
  std::int32_t aggregation = 1;
  while (aggregation < ranks / 2 && chunk_bytes / (channel_bytes * static_cast<std::uint64_t>(aggregation)) >= 2)
    aggregation *= 2;
  // As many again as a connection has slots.
  for (std::int32_t depth = 8; depth > 1 && aggregation < ranks / 2; depth /= 2) aggregation *= 2;
  return aggregation;
}

}  // namespace petri::order::nccl

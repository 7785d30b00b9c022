#include "kernels/order/textbook.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <random>

#include "kernels/order/allowance.hpp"

namespace petri::order {
namespace {

std::vector<Operand> all_ranks(std::int32_t ranks) {
  std::vector<Operand> operands(static_cast<std::size_t>(ranks));
  std::iota(operands.begin(), operands.end(), 0);
  return operands;
}

Tree left_fold(std::int32_t ranks) {
  TreeMaker maker(ranks);
  maker.fold(all_ranks(ranks));
  return maker.take();
}

std::int32_t power_of_two_below(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
}

// Pairs (2j, 2j+1) become one for the first `ranks` - p2 pairs: what is left is a power of two.
std::vector<Operand> fold_to_power_of_two(TreeMaker& maker, std::int32_t ranks) {
  const std::int32_t pairs = ranks - power_of_two_below(ranks);
  std::vector<Operand> folded;
  for (std::int32_t j = 0; j < pairs; ++j) folded.push_back(maker.combine(2 * j, 2 * j + 1));
  for (std::int32_t rank = 2 * pairs; rank < ranks; ++rank) folded.push_back(rank);
  return folded;
}

Operand halves(TreeMaker& maker, std::int32_t first, std::int32_t count) {
  if (count == 1) return first;
  const std::int32_t longer = (count + 1) / 2;
  const Operand left = halves(maker, first, longer);
  return maker.combine(left, halves(maker, first + longer, count - longer));
}

// The in-order binary tree over 0 … ranks-1 of the two-tree algorithm: the root is the rank with the most trailing
// zeroes in rank+1, its children the middles of both sides.
Operand in_order(TreeMaker& maker, std::int32_t first, std::int32_t end, std::int32_t step,
                 const std::vector<Operand>& names) {
  // Inner nodes are at odd distances of `step` from `first`; the root is the one in the middle of the full tree.
  std::int32_t root = first + step - 1;
  while (root >= end) root = first + (step /= 2) - 1;
  Operand sum = names[static_cast<std::size_t>(root)];
  if (root > first) sum = maker.combine(sum, in_order(maker, first, root, step / 2, names));
  if (root + 1 < end) sum = maker.combine(sum, in_order(maker, root + 1, end, step / 2, names));
  return sum;
}

Tree two_tree(std::int32_t ranks, const std::vector<Operand>& names) {
  TreeMaker maker(ranks);
  in_order(maker, 0, ranks, power_of_two_below(ranks), names);
  return maker.take();
}

}  // namespace

Order sequential(const Shape& shape) {
  return uniform("sequential", shape, left_fold(shape.ranks), Determinism::gpu_to_gpu);
}

Order own_first(const Shape& shape) {
  Order order{"own-first", shape.ranks, shape.count, Determinism::gpu_to_gpu, {}, {}};
  Allowance::require(static_cast<std::uint64_t>(shape.ranks) * static_cast<std::uint64_t>(shape.ranks) * sizeof(Step));
  for (std::int32_t own = 0; own < shape.ranks; ++own) {
    std::vector<Operand> operands = all_ranks(shape.ranks);
    std::rotate(operands.begin(), operands.begin() + own, operands.begin() + own + 1);
    TreeMaker maker(shape.ranks);
    maker.fold(operands);
    append(order.views.emplace_back(), {0, shape.count, static_cast<std::uint32_t>(own), 0});
    order.trees.push_back(maker.take());
  }
  return order;
}

Order pairwise(const Shape& shape) {
  TreeMaker maker(shape.ranks);
  halves(maker, 0, shape.ranks);
  return uniform("pairwise", shape, maker.take(), Determinism::gpu_to_gpu);
}

Order heap_tree(const Shape& shape, std::int32_t arity) {
  TreeMaker maker(shape.ranks);
  std::vector<Operand> sums = all_ranks(shape.ranks);
  for (std::int32_t rank = shape.ranks - 1; rank >= 0; --rank)
    for (std::int64_t child = std::int64_t{arity} * rank + 1;
         child <= std::int64_t{arity} * rank + arity && child < shape.ranks; ++child)
      sums[static_cast<std::size_t>(rank)] =
          maker.combine(sums[static_cast<std::size_t>(rank)], sums[static_cast<std::size_t>(child)]);
  return uniform("tree-" + std::to_string(arity), shape, maker.take(), Determinism::gpu_to_gpu);
}

Order binomial(const Shape& shape) {
  TreeMaker maker(shape.ranks);
  std::vector<Operand> sums = all_ranks(shape.ranks);
  for (std::int32_t rank = shape.ranks - 1; rank >= 0; --rank)
    for (std::int32_t bit = 1; (rank & bit) == 0 && rank + bit < shape.ranks; bit *= 2)
      sums[static_cast<std::size_t>(rank)] =
          maker.combine(sums[static_cast<std::size_t>(rank)], sums[static_cast<std::size_t>(rank + bit)]);
  return uniform("binomial", shape, maker.take(), Determinism::gpu_to_gpu);
}

Order recursive_doubling(const Shape& shape) {
  TreeMaker maker(shape.ranks);
  std::vector<Operand> level = fold_to_power_of_two(maker, shape.ranks);
  for (; level.size() > 1; level.resize(level.size() / 2))
    for (std::size_t i = 0; i < level.size() / 2; ++i) level[i] = maker.combine(level[2 * i], level[2 * i + 1]);
  return uniform("recursive-doubling", shape, maker.take(), Determinism::gpu_to_gpu);
}

Order recursive_halving(const Shape& shape) {
  TreeMaker maker(shape.ranks);
  std::vector<Operand> level = fold_to_power_of_two(maker, shape.ranks);
  for (; level.size() > 1; level.resize(level.size() / 2)) {
    const std::size_t half = level.size() / 2;
    for (std::size_t i = 0; i < half; ++i) level[i] = maker.combine(level[i], level[i + half]);
  }
  return uniform("recursive-halving", shape, maker.take(), Determinism::gpu_to_gpu);
}

Order ring(const Shape& shape, std::int32_t channels) {
  Order order{channels == 1 ? "ring" : "ring-" + std::to_string(channels),
              shape.ranks,
              shape.count,
              Determinism::gpu_to_gpu,
              {left_fold(shape.ranks)},
              {{}}};
  const std::uint64_t parts = static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(shape.ranks);
  Allowance::require(std::min(parts, shape.count) * sizeof(Part));
  for (std::int32_t channel = 0; channel < channels; ++channel) {
    const Block whole = block_of(shape.count, channels, channel);
    if (whole.count == 0) break;  // the longer ones come first
    for (std::int32_t b = 0; b < shape.ranks; ++b) {
      const Block block = block_of(whole.count, shape.ranks, b);
      if (block.count == 0) break;
      append(order.views.front(), {whole.first + block.first, block.count, 0, b});
    }
  }
  return order;
}

Order double_binary_tree(const Shape& shape) {
  // The second tree is the first one mirrored for an even number of ranks and shifted by one for an odd number: in both
  // cases the inner ranks of one are leaves of the other.
  std::vector<Operand> names = all_ranks(shape.ranks);
  Order order{"double-binary-tree", shape.ranks, shape.count, Determinism::gpu_to_gpu, {}, {{}}};
  order.trees.push_back(two_tree(shape.ranks, names));
  if (shape.ranks % 2 == 0) {
    std::reverse(names.begin(), names.end());
  } else {
    std::rotate(names.begin(), names.begin() + 1, names.end());
  }
  order.trees.push_back(two_tree(shape.ranks, names));
  for (const std::int32_t tree : {0, 1}) {
    const Block half = block_of(shape.count, 2, tree);
    if (half.count > 0) order.views.front().push_back({half.first, half.count, static_cast<std::uint32_t>(tree), 0});
  }
  return order;
}

Order by_host(const Shape& shape) {
  std::map<std::int32_t, std::vector<Operand>> hosts;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank)
    hosts[shape.hosts.empty() ? 0 : shape.hosts[static_cast<std::size_t>(rank)]].push_back(rank);
  TreeMaker maker(shape.ranks);
  std::vector<Operand> sums;
  for (const auto& [host, ranks] : hosts) sums.push_back(maker.fold(ranks));
  maker.fold(sums);
  return uniform("by-host", shape, maker.take(), Determinism::run_to_run);
}

Order blocks(const Shape& shape, std::int32_t count) {
  TreeMaker maker(shape.ranks);
  std::vector<Operand> sums;
  for (std::int32_t b = 0; b < count; ++b) {
    const Block block = block_of(static_cast<std::uint64_t>(shape.ranks), count, b);
    std::vector<Operand> members(block.count);
    std::iota(members.begin(), members.end(), static_cast<Operand>(block.first));
    if (!members.empty()) sums.push_back(maker.fold(members));
  }
  maker.fold(sums);
  return uniform("blocks-" + std::to_string(count), shape, maker.take(), Determinism::gpu_to_gpu);
}

Order arrival(const Shape& shape, std::uint64_t seed) {
  std::vector<Operand> operands = all_ranks(shape.ranks);
  // Written out, as std::shuffle differs between standard libraries.
  std::mt19937_64 chance(seed);
  for (std::size_t i = operands.size() - 1; i > 0; --i) std::swap(operands[i], operands[chance() % (i + 1)]);
  TreeMaker maker(shape.ranks);
  maker.fold(operands);
  return uniform("arrival", shape, maker.take(), Determinism::not_guaranteed);
}

}  // namespace petri::order

#include "kernels/order/order.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/order/allowance.hpp"

namespace petri::order {
namespace {

bool calls_hold(const Tree& tree, const Part& part) {
  if (part.calls.empty()) return true;
  return part.calls.size() == tree.steps.size() &&
         std::all_of(part.calls.begin(), part.calls.end(),
                     [&](const Call& call) { return call.before + part.count <= call.count; });
}

bool covers(const Order& order, const View& view) {
  std::uint64_t next = 0;
  for (const Part& part : view) {
    if (part.first != next || part.tree >= order.trees.size()) return false;
    if (part.shift < 0 || part.shift >= order.ranks) return false;
    if (!calls_hold(order.trees[part.tree], part)) return false;
    next += part.count;
  }
  return next == order.count;
}

bool has_views(const Order& order) {
  return order.views.size() == 1 || order.views.size() == static_cast<std::size_t>(order.ranks);
}

}  // namespace

void append(View& view, Part part) {
  Allowance::spend(sizeof(Part) + part.calls.size() * sizeof(Call));
  view.push_back(std::move(part));
}

bool is_whole(const Order& order) {
  const bool trees = std::all_of(order.trees.begin(), order.trees.end(),
                                 [&](const Tree& tree) { return tree.ranks == order.ranks && is_whole(tree); });
  return trees && has_views(order) &&
         std::all_of(order.views.begin(), order.views.end(), [&](const View& view) { return covers(order, view); });
}

bool is_whole(const Order& order, std::int32_t rank) {
  if (!has_views(order) || !covers(order, order.view_of(rank))) return false;
  std::set<std::uint32_t> trees;
  for (const Part& part : order.view_of(rank)) trees.insert(part.tree);
  return std::all_of(trees.begin(), trees.end(), [&](std::uint32_t tree) {
    return order.trees[tree].ranks == order.ranks && is_whole(order.trees[tree]);
  });
}

std::uint64_t bytes_of(const Order& order) {
  std::uint64_t bytes = 0;
  for (const Tree& tree : order.trees) bytes += sizeof(Tree) + tree.steps.size() * sizeof(Step);
  for (const View& view : order.views) {
    bytes += sizeof(View) + view.size() * sizeof(Part);
    for (const Part& part : view) bytes += part.calls.size() * sizeof(Call);
  }
  return bytes;
}

Tree tree_of(const Order& order, std::uint64_t element, std::int32_t rank) {
  const View& view = order.view_of(rank);
  const auto part =
      std::partition_point(view.begin(), view.end(), [&](const Part& p) { return p.first + p.count <= element; });
  Tree tree = order.trees[part->tree];
  for (Step& step : tree.steps)
    for (Operand* operand : {&step.left, &step.right})
      if (*operand < tree.ranks) *operand = (*operand + part->shift) % tree.ranks;
  return tree;
}

Order uniform(std::string name, const Shape& shape, Tree tree, Determinism determinism) {
  Order order{std::move(name), shape.ranks, shape.count, determinism, {}, {}};
  order.trees.push_back(std::move(tree));
  order.views.push_back({{0, shape.count, 0, 0}});
  return order;
}

Block block_of(std::uint64_t count, std::int32_t blocks, std::int32_t index) {
  const std::uint64_t each = count / static_cast<std::uint64_t>(blocks);
  const std::uint64_t longer = count % static_cast<std::uint64_t>(blocks);
  const auto i = static_cast<std::uint64_t>(index);
  return {i * each + std::min(i, longer), each + (i < longer ? 1 : 0)};
}

}  // namespace petri::order

#include "kernels/order/schedule.hpp"

#include <algorithm>

namespace petri::order {
namespace {

// The height of the stack that each operand needs.
std::vector<std::int32_t> heights_of(const Tree& tree) {
  std::vector<std::int32_t> heights(static_cast<std::size_t>(tree.ranks), 1);
  heights.reserve(heights.size() + tree.steps.size());
  for (const Step& step : tree.steps) {
    const std::int32_t left = heights[static_cast<std::size_t>(step.left)];
    const std::int32_t right = heights[static_cast<std::size_t>(step.right)];
    heights.push_back(left == right ? left + 1 : std::max(left, right));
  }
  return heights;
}

}  // namespace

Schedule schedule_of(const Tree& tree) {
  const std::vector<std::int32_t> heights = heights_of(tree);
  const auto height = [&](Operand operand) { return heights[static_cast<std::size_t>(operand)]; };
  Schedule schedule;
  schedule.height = static_cast<std::size_t>(height(tree.result()));
  // Written from the end: an operand's combination comes after both of its sides.
  std::vector<Operand> to_write{tree.result()};
  while (!to_write.empty()) {
    const Operand operand = to_write.back();
    to_write.pop_back();
    if (operand < tree.ranks) {
      schedule.instructions.push_back(operand);
      continue;
    }
    const Step step = tree.steps[static_cast<std::size_t>(operand - tree.ranks)];
    const bool right_first = height(step.right) > height(step.left);
    schedule.instructions.push_back(right_first ? kRightBelow : kLeftBelow);
    schedule.steps.push_back(static_cast<std::uint32_t>(operand - tree.ranks));
    to_write.push_back(right_first ? step.right : step.left);
    to_write.push_back(right_first ? step.left : step.right);
  }
  std::reverse(schedule.instructions.begin(), schedule.instructions.end());
  std::reverse(schedule.steps.begin(), schedule.steps.end());
  return schedule;
}

}  // namespace petri::order

#include "kernels/order/tree.hpp"

#include <algorithm>
#include <utility>

#include "kernels/order/allowance.hpp"

namespace petri::order {
namespace {

// Depth-first without recursion: the tree of a left fold is as deep as there are ranks.
void append_text(const Tree& tree, std::string& text) {
  struct Piece {
    Operand operand;
    char closing;  // written instead of the operand where it is not 0
  };
  std::vector<Piece> left_to_write{{tree.result(), 0}};
  while (!left_to_write.empty()) {
    const Piece piece = left_to_write.back();
    left_to_write.pop_back();
    if (piece.closing != 0) {
      text += piece.closing;
    } else if (piece.operand < tree.ranks) {
      text += "x" + std::to_string(piece.operand);
    } else {
      const Step step = tree.steps[static_cast<std::size_t>(piece.operand - tree.ranks)];
      text += '(';
      left_to_write.insert(left_to_write.end(), {{0, ')'}, {step.right, 0}, {0, '+'}, {step.left, 0}});
    }
  }
}

}  // namespace

bool is_whole(const Tree& tree) {
  if (tree.ranks < 1 || tree.steps.size() + 1 != static_cast<std::size_t>(tree.ranks)) return false;
  std::vector<bool> taken(static_cast<std::size_t>(tree.ranks) + tree.steps.size(), false);
  Operand made = tree.ranks;
  for (const Step& step : tree.steps) {
    for (const Operand operand : {step.left, step.right}) {
      if (operand < 0 || operand >= made || taken[static_cast<std::size_t>(operand)]) return false;
      taken[static_cast<std::size_t>(operand)] = true;
    }
    ++made;
  }
  return true;  // ranks - 1 steps that take two different ones each leave exactly the last result
}

std::string text_of(const Tree& tree) {
  std::string text;
  append_text(tree, text);
  return text;
}

std::int32_t depth_of(const Tree& tree) {
  std::vector<std::int32_t> depths(static_cast<std::size_t>(tree.ranks), 0);
  depths.reserve(depths.size() + tree.steps.size());
  for (const Step& step : tree.steps)
    depths.push_back(
        1 + std::max(depths[static_cast<std::size_t>(step.left)], depths[static_cast<std::size_t>(step.right)]));
  return depths[static_cast<std::size_t>(tree.result())];
}

TreeMaker::TreeMaker(std::int32_t ranks) : tree_{ranks, {}} {
  Allowance::spend(static_cast<std::uint64_t>(ranks) * sizeof(Step));
}

Operand TreeMaker::combine(Operand left, Operand right) {
  tree_.steps.push_back({left, right});
  return tree_.result();
}

Operand TreeMaker::fold(std::span<const Operand> operands) {
  Operand sum = operands.front();
  for (const Operand next : operands.subspan(1)) sum = combine(sum, next);
  return sum;
}

}  // namespace petri::order

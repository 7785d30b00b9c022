// The association tree of one element: which contributions are combined, in which order, and which operand is which.
//
// IEEE 754 addition commutes, so for a sum only the shape matters; for min and max the sides decide which NaN and which
// zero survives (MPI 4.1, section 6.9.5: inoutvec = invec op inoutvec).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace petri::order {

// Below `ranks`: the contribution of that rank. From there on: what an earlier step gave.
using Operand = std::int32_t;

// left op right. `left` is MPI's invec, `right` its inoutvec, which the result replaces.
struct Step {
  Operand left = 0, right = 0;
  bool operator==(const Step&) const = default;
};

// Steps come after those whose results they take, and the last one gives the result. One rank alone has no step.
struct Tree {
  std::int32_t ranks = 1;
  std::vector<Step> steps;

  Operand result() const { return steps.empty() ? 0 : ranks + static_cast<Operand>(steps.size()) - 1; }
  bool operator==(const Tree&) const = default;
};

// Each contribution enters exactly once, and each result but the last is taken exactly once, after it was made.
bool is_whole(const Tree& tree);

// E.g. "((x0+x1)+(x2+x3))": for messages and tests. Depth-first, so of the size of the tree.
std::string text_of(const Tree& tree);

// Steps between the deepest contribution and the result.
std::int32_t depth_of(const Tree& tree);

// Makes a tree step by step, within the Allowance.
class TreeMaker {
 public:
  explicit TreeMaker(std::int32_t ranks);

  Operand combine(Operand left, Operand right);
  // ((a op b) op c) …: each further operand is the right side. Needs one operand at least.
  Operand fold(std::span<const Operand> operands);

  // The tree whose last step was made last. The maker is empty afterwards.
  Tree take() { return std::move(tree_); }

 private:
  Tree tree_;
};

}  // namespace petri::order

// A tree as a program for a stack: contributions are pushed, and the two on top are combined.
//
// The deeper side is made first (Sethi and Ullman 1970), so that the stack is never higher than the logarithm of the
// ranks, and two high for a left or right fold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/order/tree.hpp"

namespace petri::order {

// 0 and above: push the contribution of that rank. The others combine the two on top.
using Instruction = std::int32_t;
inline constexpr Instruction kLeftBelow = -1;   // the left side was pushed first, the right one is on top
inline constexpr Instruction kRightBelow = -2;  // the other way round

struct Schedule {
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> steps;  // which step of the tree each combination is, in their order
  std::size_t height = 0;            // of the stack at most
};

Schedule schedule_of(const Tree& tree);

}  // namespace petri::order

// Names and texts of generated Python. Internal to harness/export.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::pytorch {

// A type or operation of torch, and what of the recorded one is lost by it; no name where torch has none.
struct Word {
  std::string_view name;
  std::string_view loss = {};
};

// Gloo reduces neither 8-bit floats nor 16-bit integers (torch/csrc/distributed/c10d/ProcessGroupGloo.cpp,
// GENERATE_ALL_TYPES), and torch has few unsigned types: integers of the size stand for them, where they can.
Word type_word(ElementType type, bool reduced);
Word reduce_word(ReduceOp op);

// "comm_2_dp0", or "None", torch's word for the group of all ranks.
std::string group_name(const Scenario& scenario, std::int32_t comm);

// "[0, 1, 5]", or "range(0, 1024, 8)" where that says the same in less.
std::string rank_list(const std::vector<std::int32_t>& ranks);

// A Python string literal: printable ASCII without quotes and backslashes.
std::string literal(std::string_view text);

}  // namespace petri::pytorch

// Alignment of two ranks' sequences of calls on one communicator.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

// What one of two sequences has and the other has not, by position in each window.
struct Edits {
  std::vector<std::uint32_t> only_first, only_second;  // events' indexes in their ranks
  bool goes_on = false;                                // the sequences agree again after the last edit
};

// Events by which two ranks differ around a position, under the alignment that keeps most calls together (same
// operation and arguments; a same call site weighs more, so that a repeated call finds its right partner). Of equal
// alignments the one with the earliest edits is taken. `first` and `second` are the ranks' positional events on one
// communicator, from `from` on; only a window is compared.
Edits align(const Scenario& scenario, std::int32_t first_rank, const std::vector<std::uint32_t>& first,
            std::int32_t second_rank, const std::vector<std::uint32_t>& second, std::size_t from);

// Same operation, form and recorded arguments.
bool same_call(const Event& one, const Event& other);

}  // namespace petri::diagnosis

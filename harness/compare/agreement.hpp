// What a comparison says: three answers, kept apart, and the dimensions that moved the bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/compare/side_by_side.hpp"

namespace petri::compare {

// One of the questions, over all configurations. An element agrees within the tolerance that was asked for.
struct Answer {
  std::size_t asked = 0;                 // configurations that the question is about
  std::vector<std::size_t> disagreeing;  // of them
  bool agree() const { return disagreeing.empty(); }
};

struct Agreement {
  Answer ranks;           // asked of all configurations
  Answer runs;            // of those with several runs
  Answer configurations;  // each against the first that reduces the same numbers
  // Of those that are measured and whose prediction is guaranteed: to the bit, whatever the tolerance. A NaN is any
  // NaN.
  Answer predictions;
  // Runs may differ where the order is not_guaranteed, though one run was all that could be evaluated.
  std::vector<std::size_t> runs_unknown;

  bool all() const { return ranks.agree() && runs.agree() && configurations.agree() && predictions.agree(); }
};

Agreement agreement_of(const Comparison& comparison);

// Pairs of configurations that reduce the same numbers and differ in this dimension alone.
struct Moved {
  Dimension dimension = Dimension::algorithm;
  std::size_t pairs = 0, moved = 0;  // of which the bits differ
  std::size_t one = 0, other = 0;    // the first such pair
};

// Dimensions that are varied alone in at least one pair; none of a comparison that was stopped.
std::vector<Moved> moved_bits(const Reductions& reductions, const Comparison& comparison);

}  // namespace petri::compare

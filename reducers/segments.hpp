// Repeated stretches of a program: training steps, iterations, batches.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

inline constexpr std::int32_t kNoSegment = -1;

// By rank and index, the repetition that an event belongs to; kNoSegment before the first one and on ranks that repeat
// nothing. Repetitions are counted alike on all ranks: the delimiter of a rank is the first call in its program that
// occurs as often as the job repeats itself, which is the count, three or more, that most ranks have a call for (the
// smallest of those: the outermost loop). A rank that is one short or ahead, as a culprit may be, still takes part.
std::vector<std::vector<std::int32_t>> find_segments(const Scenario& scenario);

}  // namespace petri::reduce

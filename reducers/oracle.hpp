// The question that shrinking asks again and again: does this scenario still fail in the same way?
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri::reduce {

enum class Answer : std::uint8_t {
  reproduces,  // fails as the original does
  passes,      // does not fail, or fails differently
  unresolved,  // no answer: timed out, ambiguous, not runnable; never taken for a reproduction
};

struct Judgement {
  Answer answer = Answer::unresolved;
  std::string other;  // the signature of a different failure that was met; empty when none was
  bool operator==(const Judgement&) const = default;
};

// Called from several threads at once. Must give the same answer for the same scenario; `k_of_n` helps where it does
// not. What it throws ends the shrinking and reaches the caller.
using Oracle = std::function<Judgement(const Scenario&)>;

// Asks `oracle` up to `n` times and answers `reproduces` as soon as `k` of the answers do, for failures that show
// themselves only in some runs. Stops asking once the outcome is decided. Needs 1 <= k <= n.
Oracle k_of_n(Oracle oracle, int k, int n);

}  // namespace petri::reduce

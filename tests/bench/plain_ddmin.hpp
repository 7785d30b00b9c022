// Plain delta debugging, to compare with: it knows nothing of roles, messages or collectives.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::bench {

// Zeller and Hildebrandt 2002, "Simplifying and Isolating Failure-Inducing Input", figure 3: tries each of n subsets,
// then each complement, then twice as many. `fails` judges a choice of the items. Stops early when `stop` says so.
std::vector<std::uint32_t> ddmin(std::vector<std::uint32_t> items,
                                 const std::function<bool(const std::vector<std::uint32_t>&)>& fails,
                                 const std::function<bool()>& stop);

struct PlainResult {
  Scenario scenario;  // the smallest that fails
  std::uint64_t tests = 0;
  bool finished = false;
};

// First over ranks, then over the events that are left, each on its own; `fails` judges a scenario. Candidates are made
// by the same cut and repair that petri uses, so that they are legal.
PlainResult plain_ddmin(const Scenario& input, const std::function<bool(const Scenario&)>& fails,
                        const std::function<bool()>& stop);

}  // namespace petri::bench

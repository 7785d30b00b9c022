// What the tests of the model ask most: who is left blocked, under which assumptions.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/run.hpp"

namespace petri::model {

inline constexpr Assumptions kStrict{};
inline constexpr Assumptions kBuffered{kUnlimited, false};

inline std::vector<std::int32_t> stuck(const Scenario& scenario, const Assumptions& assumptions = kStrict) {
  return run(scenario, assumptions).stuck;
}

}  // namespace petri::model

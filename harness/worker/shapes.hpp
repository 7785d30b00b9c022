// Counts and types of calls whose record does not say them.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "harness/trace/scenario.hpp"

namespace petri {

// Count and type of one side of a call.
struct Shape {
  int count = 0;
  ElementType type = ElementType::unknown;
};

// What is not recorded is taken from another event of the same operation on the same communicator, so that both fit;
// where nobody says, one int32.
class Shapes {
 public:
  explicit Shapes(const Scenario& scenario);
  Shape of(const Event& event) const;

 private:
  std::map<std::pair<std::int32_t, std::string_view>, Shape> shapes_;  // by communicator and family
};

}  // namespace petri

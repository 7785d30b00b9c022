// When two results count as equal: bit by bit, or within bounds that the user states.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace petri::compare {

// Elements agree where they are the same (element.hpp), or where one of the bounds that are stated holds. A NaN agrees
// with a NaN only, and an infinity with itself only unless the bound is in ULPs; +0 and -0 agree within any bound.
struct Tolerance {
  std::optional<double> absolute = {};  // |a - b| ≤ absolute
  std::optional<double> relative = {};  // |a - b| ≤ relative · max(|a|, |b|)
  std::optional<std::uint64_t> ulps = {};

  bool bitwise() const { return !absolute && !relative && !ulps; }
};

// "bit by bit", or e.g. "within 1e-06 relative or 4 ULPs".
std::string text_of(const Tolerance& tolerance);

}  // namespace petri::compare

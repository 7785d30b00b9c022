// Where two recordings first have different numbers, for people and for programs.
#pragma once

#include <string>

#include "harness/compare/locate.hpp"

namespace petri {

// Several lines, ending in a newline. `names` are what the recordings are called. Not made printable yet.
struct RecordingNames {
  std::string one, other;
};
std::string render_text(const compare::LocatedDifference& found, const Scenario& one, const Scenario& other,
                        const RecordingNames& names);

// One JSON object on one line: `verdict` ("completes", "divergence", or "ambiguous" where there is no digest to
// compare), `compared`, `differing`, and where there are such, `first` and `other_call`.
std::string render_json(const compare::LocatedDifference& found, const Scenario& one, const Scenario& other);

// Other numbers or other calls are a divergence; nothing to compare is ambiguous.
Verdict verdict_of(const compare::LocatedDifference& found);

}  // namespace petri

// A comparison of reductions for people and for programs.
#pragma once

#include <string>

#include "harness/compare/agreement.hpp"
#include "harness/compare/side_by_side.hpp"

namespace petri {

// What the numbers are, in a few words: "normal, seed 0". May come from an input.
struct ComparedNumbers {
  std::string origin;
};

// Several lines, ending in a newline: the verdict; the three questions with their answers, apart; what moved the bits;
// and a table with a line for each configuration. Not made printable yet.
std::string render_text(const compare::Reductions& reductions, const compare::Comparison& comparison,
                        const ComparedNumbers& numbers);

// One JSON object on one line, ending in a newline: `verdict` ("completes" or "divergence"), `op`, `count`, `numbers`,
// `tolerance`, the answers `ranks`, `runs` and `configurations` (each with `agree`, `asked` and the `disagreeing`
// places in `results`), `moved`, `conditions` and `results`. Infinities are texts.
std::string render_json(const compare::Reductions& reductions, const compare::Comparison& comparison,
                        const ComparedNumbers& numbers);

}  // namespace petri

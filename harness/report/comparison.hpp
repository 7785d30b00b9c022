// A comparison of reductions for people and for programs.
#pragma once

#include <cstdint>
#include <string>

#include "harness/compare/agreement.hpp"
#include "harness/compare/side_by_side.hpp"

namespace petri {

// What the numbers are, in a few words: "normal, seed 0". May come from an input.
struct ComparedNumbers {
  std::string origin;
  std::int32_t first_rank = 0;  // of those that reduce, as the user counts them
};

// Several lines, ending in a newline: the verdict; the three questions with their answers, apart, and where something
// was measured a fourth, whether predictions hold; what moved the bits; a table with a line for each configuration; and
// one of what was measured. Not made printable yet.
std::string render_text(const compare::Reductions& reductions, const compare::Comparison& comparison,
                        const ComparedNumbers& numbers);

// One JSON object on one line, ending in a newline: `verdict` ("completes", "divergence" or "ambiguous"), `op`,
// `count`, `compared` (elements; fewer than `count` where it was stopped, and then there are no digests), `numbers`,
// `tolerance`, the answers `ranks`, `runs` and `configurations` (each with `agree`, `asked` and the `disagreeing`
// places in `results`), `moved`, `conditions`, `losses` (of conversions: counts of ConversionLoss by ranks and type)
// and `results`. Infinities are texts. With live jobs, also the answer `predictions`, and `live` with the `library`,
// `complete`, and what was `predicted_only` with its `reason`; a result that is `measured` has its `prediction` (a
// place in `results`), the differences `to_prediction`, and the number of `distinct_results` over its runs.
std::string render_json(const compare::Reductions& reductions, const compare::Comparison& comparison,
                        const ComparedNumbers& numbers);

}  // namespace petri

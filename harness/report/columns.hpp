// `petri show`: the ranks as columns around the place of failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/diagnose/diagnose.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

struct ColumnOptions {
  std::vector<std::int32_t> ranks;  // these, whatever the width; empty: all that fit, the interesting ones first
  std::size_t around = 4;           // rows before and after the place of failure
  bool all = false;                 // every row and every column, whatever the width
  bool colour = false;              // ANSI colours
  std::size_t width = 100;          // terminal columns
};

// A table, ending in a newline. Ranks whose columns are equal share one, titled with their range. Rows are aligned at
// the place of failure: the collective at the position where the root cause is, otherwise the event that blocks the
// rank, otherwise its last one; without a failure at the first event. The event that a rank cannot leave is marked.
std::string render_columns(const Scenario& scenario, const Diagnosis& diagnosis, const ColumnOptions& options = {});

}  // namespace petri

// The outcome of many cells as text.
#pragma once

#include <string>
#include <vector>

#include "tests/jobs/cell.hpp"

namespace petri::jobs {

// One line: what was planted where, what came of it, and how long it took.
std::string line_of(const Cell& cell, const Measured& result);

// A row for each fault and variant, and a column for each job. An entry has a word for each size, in their order: "ok",
// or the initials of what is wrong (v: verdict, c: culprits, m: minimum), or "-" where the job has no place for it.
std::string table_of(const std::vector<Cell>& cells, const std::vector<Measured>& results, bool markdown);

// Shares by world size and in all, and each complaint.
std::string summary_of(const std::vector<Cell>& cells, const std::vector<Measured>& results);

}  // namespace petri::jobs

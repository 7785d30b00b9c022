// Copies of a file that lie beside it: a second download, a backup.
#pragma once

#include <vector>

#include "harness/import/foreign.hpp"
#include "harness/import/trace_files.hpp"

namespace petri {

// Without those that have the bytes of another one and its name, or that name with something in front of it or behind
// it: "rank_0 (1)", "rank_0.bak", "Copy of rank_0", "backup/rank_0". What is left out is told in the warnings. Files of
// equal bytes with other names are kept, as ranks can do the same; so are those with such names and other bytes.
std::vector<TraceFile> without_copies(const std::vector<TraceFile>& files, ImportNotes& notes);

}  // namespace petri

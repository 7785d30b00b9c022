// Why some operations of MPI lack some of what Petri does with the others.
#pragma once

#include <string>
#include <vector>

#include "harness/trace/op.hpp"

namespace petri::test {

enum Column : unsigned { kInC, kInFortran, kModelled, kReplayed, kColumns };

struct Gap {
  std::vector<Op> operations;
  std::vector<Column> columns;
  const char* why;
};

// Those that hold with the MPI that this is built with.
std::vector<Gap> known_gaps();

}  // namespace petri::test

// The table's cells: one call each, with what it is made on.
#pragma once

#include <string>
#include <vector>

#include "kernels/order/openmpi.hpp"
#include "tests/kernels/openmpi/payload.hpp"

namespace petri::openmpi_orders {

struct Cell {
  std::uint64_t count = 0;  // of the whole vector
  Payload payload;
  order::openmpi::Invocation invocation;

  std::string text() const;  // e.g. "1000 float32 min special root 3, in place"
};

enum class Extent {
  few,      // a short look: a few sizes and operations
  all,      // every size, type, operation and payload
  borders,  // the sizes at which the usual choice turns to another algorithm
};

// For a communicator of `ranks`. What is invoked is what `base` says, from several roots, and in place as well.
std::vector<Cell> cells_of(const order::openmpi::Invocation& base, std::int32_t ranks, Extent extent);

}  // namespace petri::openmpi_orders

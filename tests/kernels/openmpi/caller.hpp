// Calls the library for a cell, and compares.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/mpi/openmpi_call.hpp"
#include "tests/kernels/openmpi/cells.hpp"

namespace petri::openmpi_orders {

// What one rank saw of a cell.
struct Outcome {
  std::int64_t element = -1;  // the first that is not equal
  std::uint64_t predicted = 0, measured = 0;
  std::uint64_t hash = 0;  // of the whole result, where all ranks have it
};

class Caller {
 public:
  explicit Caller(MPI_Comm comm);

  std::int32_t ranks() const { return ranks_; }

  // Collective. Each rank compares a part of the result.
  Outcome outcome_of(const Cell& cell);

  order::Order order_for(const Cell& cell) const;

 private:
  mpi::Piece called(const Cell& cell);
  mpi::Piece scattered(const Cell& cell, const mpi::Piece& whole) const;
  std::vector<std::byte> own_contribution(const Cell& cell) const;
  void compare(const Cell& cell, const mpi::Piece& piece, Outcome& outcome) const;

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0;
};

}  // namespace petri::openmpi_orders

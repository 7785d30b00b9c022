// Calls the library for a cell, and compares.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/kernels/openmpi/cells.hpp"

namespace petri::openmpi_orders {

// What one rank saw of a cell.
struct Outcome {
  std::int64_t element = -1;  // the first that is not equal
  std::uint64_t predicted = 0, measured = 0;
  std::uint64_t hash = 0;  // of the whole result, where all ranks have it
};

// What a rank has of a result.
struct Piece {
  std::uint64_t first = 0, count = 0;
  std::vector<std::byte> bytes;
};

class Caller {
 public:
  explicit Caller(MPI_Comm comm);

  std::int32_t ranks() const { return ranks_; }

  // Collective. Each rank compares a part of the result.
  Outcome outcome_of(const Cell& cell);

  order::Order order_for(const Cell& cell) const;

 private:
  Piece called(const Cell& cell);
  Piece reduced_everywhere(const Cell& cell);
  Piece reduced(const Cell& cell);
  Piece scattered(const Cell& cell);
  std::vector<std::byte> own_contribution(const Cell& cell) const;
  void compare(const Cell& cell, const Piece& piece, Outcome& outcome) const;

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0;
};

}  // namespace petri::openmpi_orders

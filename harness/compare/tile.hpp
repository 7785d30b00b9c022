// A piece of what all ranks contribute, as it is held while every configuration is evaluated on it. Internal to
// compare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/compare/side_by_side.hpp"
#include "harness/compare/work.hpp"
#include "kernels/order/evaluate.hpp"

namespace petri::compare {

// For one number of ranks and one type. Not to be shared between threads.
class Tile {
 public:
  Tile(std::int32_t ranks, ElementType type, WorkOfThread& work) : ranks_(ranks), type_(type), work_(work) {}

  std::int32_t ranks() const { return ranks_; }
  ElementType type() const { return type_; }

  // Takes elements [first, first + count) of all ranks. Throws Stopped, as the contributions do.
  void take(const Reductions& reductions, std::uint64_t first, std::size_t count);

  order::Contribution contribution() const;  // within the piece; this object must outlive it

  // One column of `ranks` contributions after the other.
  const std::byte* columns() const { return columns_.data(); }

  // Of what was taken last.
  const kernels::ConversionLoss& loss() const { return loss_; }

 private:
  void turn(std::size_t count);

  std::int32_t ranks_;
  ElementType type_;
  WorkOfThread& work_;
  std::uint64_t first_ = 0;
  std::size_t row_bytes_ = 0;
  std::vector<std::byte> rows_, columns_;
  kernels::ConversionLoss loss_;
};

}  // namespace petri::compare

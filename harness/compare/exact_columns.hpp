// The exact result of each element of a piece, and how far another result is from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/types/element_type.hpp"
#include "kernels/types/reduce_op.hpp"

namespace petri::compare {

// What "exact" is, by operation. sum: the real sum (kernels/cpu/exact_sum.hpp); integers wrap. avg: that sum over the
// ranks; integers are divided, towards zero. min, max: any order's result, in Petri's arithmetic.
class ExactColumns {
 public:
  virtual ~ExactColumns() = default;

  // Takes `count` columns of `ranks` contributions each, one column after the other.
  virtual void take(const std::byte* columns, std::int32_t ranks, std::size_t count) = 0;

  // Of the columns taken last:
  // The exact results, rounded to the type, one element each.
  virtual const std::byte* rounded() const = 0;
  // One of them as double.
  virtual double exact(std::size_t column) const = 0;
  // Σ|x|, by which a sum's error is bounded; that over the ranks for an average, 0 for other operations.
  virtual double magnitude(std::size_t column) const = 0;
  // |result - exact|, rounded once; infinite where one of them is and the other is not the same, NaN where one of them
  // is NaN and the other is not.
  virtual double error_of(std::size_t column, const std::byte* result) const = 0;
};

// Nothing for operations without an exact result that is known here (a product is none), and for types that no kernel
// computes in.
std::unique_ptr<ExactColumns> exact_columns(ElementType type, ReduceOp op);

}  // namespace petri::compare

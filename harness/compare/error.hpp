// How far the results of one configuration are from the exact ones, over all elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/compare/exact_columns.hpp"
#include "harness/compare/ulp_histogram.hpp"
#include "kernels/cpu/exact_sum.hpp"

namespace petri::compare {

// Pieces may come in any order; what is told depends on the elements alone, to the bit.
class ErrorStatistics {
 public:
  // Elements [first, first + count), whose columns `exact` took last.
  void add(ElementType type, const ExactColumns& exact, std::uint64_t first, const std::byte* results,
           std::size_t count);
  void add(const ErrorStatistics& part);

  std::uint64_t elements() const { return elements_; }
  const UlpHistogram& ulps() const { return ulps_; }  // to the exact result rounded to the type
  double most_absolute() const { return most_absolute_; }
  // To the exact result; infinite where that is 0 and the result is not. `most_relative_at` is the first such element.
  double most_relative() const { return most_relative_; }
  std::uint64_t most_relative_at() const { return most_relative_at_; }
  // The square root of Σ error² over Σ exact²: of the vector as a whole.
  double norm_relative() const;
  // The largest error over Σ|x|, in the type's roundings of 1 (half an ULP of 1; 1 for integers): what the order is to
  // be judged by, since cancellation does not enter it. 0 for min and max.
  double most_roundings() const { return most_roundings_; }
  std::uint64_t nans() const { return nans_; }  // results that are NaN where the exact one is not, or the other way

 private:
  std::uint64_t elements_ = 0, nans_ = 0, most_relative_at_ = 0;
  double most_absolute_ = 0, most_relative_ = 0, most_roundings_ = 0;
  kernels::ExactSum<double> error_squares_, exact_squares_;
  UlpHistogram ulps_;
};

// How much the data of a sum cancel: Σ|x| / |Σx| of each element, the factor by which relative errors of the addends
// grow. 1 where all have one sign (and where all are 0); infinite where the sum is 0 and they are not.
class Conditions {
 public:
  void add(const ExactColumns& exact, std::size_t count);
  void add(const Conditions& part);

  double most() const { return most_; }
  // The least power of two that is not below this share of all.
  double quantile(double share) const;

 private:
  double most_ = 0;
  UlpHistogram doublings_;  // of the logarithm to base 2, rounded up
};

}  // namespace petri::compare

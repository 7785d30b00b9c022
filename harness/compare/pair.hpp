// Two results of the same reduction held against each other, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/compare/tolerance.hpp"
#include "harness/compare/ulp_histogram.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::compare {

// Two elements, with their values as text.
struct ElementPair {
  std::uint64_t element = 0;
  std::string one, other;
  bool operator==(const ElementPair&) const = default;
};

// What was found so far. Pieces may come in any order, and the statistics of parts add up to those of the whole.
class PairStatistics {
 public:
  // Elements [first, first + count) of both sides. `type` is one that kernels compute in, and the same in all calls.
  void add(ElementType type, const Tolerance& tolerance, std::uint64_t first, const std::byte* one,
           const std::byte* other, std::size_t count);
  void add(const PairStatistics& part);

  std::uint64_t elements() const { return elements_; }
  std::uint64_t differing() const { return differing_; }        // not the same bits
  std::uint64_t beyond() const { return beyond_; }              // nor within the tolerance
  std::uint64_t signed_zeros() const { return signed_zeros_; }  // +0 against -0: bits differ, values agree
  std::uint64_t lone_nans() const { return lone_nans_; }        // NaN against a number

  const std::optional<ElementPair>& first() const { return first_; }                // of those that differ
  const std::optional<ElementPair>& first_beyond() const { return first_beyond_; }  // of those beyond the tolerance
  const std::optional<ElementPair>& widest() const { return widest_; }  // most ULPs apart; the first of them
  const UlpHistogram& ulps() const { return ulps_; }                    // of all elements
  // Of those that are both numbers; an infinity against a number counts.
  double most_absolute() const { return most_absolute_; }
  double most_relative() const { return most_relative_; }  // to the larger magnitude

 private:
  template <class T>
  void add_values(ElementType type, const Tolerance& tolerance, std::uint64_t first, const std::byte* one,
                  const std::byte* other, std::size_t count);

  std::uint64_t elements_ = 0, differing_ = 0, beyond_ = 0, signed_zeros_ = 0, lone_nans_ = 0, widest_ulps_ = 0;
  std::optional<ElementPair> first_, first_beyond_, widest_;
  UlpHistogram ulps_;
  double most_absolute_ = 0, most_relative_ = 0;
};

}  // namespace petri::compare

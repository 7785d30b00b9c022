// Evaluates a reduction in its orders, side by side, until two results differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/compare/element.hpp"
#include "harness/diagnose/reduction.hpp"

namespace petri::diagnosis {

// What a diagnosis may cost, in numbers that are combined: some seconds.
inline constexpr std::uint64_t kMostWork = std::uint64_t{1} << 31;

// How an order is evaluated once: one of its runs, as one rank computes it.
struct Variant {
  std::size_t order = 0;  // index in Reduction::orders
  std::string name;       // of this run: "arrival:3"
  std::int32_t rank = 0;  // group rank whose view it is
};

// Where the results of two variants are not the same. Of ranks that disagree, `one` has what most of them have, where
// most have one result.
struct Difference {
  enum class Kind : std::uint8_t { ranks, runs, orders, nan } kind = Kind::orders;
  std::uint64_t element = 0;
  Variant one, other;
  std::string one_value, other_value;
  compare::Contrast contrast = compare::Contrast::size;
  std::vector<std::int32_t> minority;  // group ranks, where ranks of one run disagree
};

struct OrderSearch {
  // The first element in which something differs, and of what differs there the kind that is told first.
  std::optional<Difference> difference;
  // Where there is none: what was left out, in words; empty: nothing. Orders that no catalogue knows, those that are
  // too large, and elements for which no work was left.
  std::string left_out;
};

// Takes what it costs from `work`, and stops where `stop` is set meanwhile: then the answer is worth nothing. Memory
// for some tiles beside the orders, which are within kMostOrderBytes.
OrderSearch search_difference(const Reduction& reduction, std::uint64_t& work, const std::stop_token& stop);

}  // namespace petri::diagnosis

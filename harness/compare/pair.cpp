#include "harness/compare/pair.hpp"

#include <algorithm>
#include <cmath>

#include "harness/compare/element_values.hpp"

namespace petri::compare {
namespace {

struct Gap {
  double absolute = 0, relative = 0;
};

// Between two numbers that are not the same.
template <class T>
Gap gap_between(T one, T other, std::uint64_t ulps) {
  if (ulps == 0) return {};  // zeros of two signs
  const double a = as_double(one), b = as_double(other);
  const double larger = std::max(std::abs(a), std::abs(b));
  // Neither does the difference of two int64 fit one, nor are large ones exact as double.
  const double absolute = std::is_integral_v<T> ? static_cast<double>(ulps) : std::abs(a - b);
  return {absolute, std::isinf(larger) ? larger : absolute / larger};
}

bool within(const Tolerance& tolerance, const Gap& gap, std::uint64_t ulps) {
  return (tolerance.absolute && gap.absolute <= *tolerance.absolute) ||
         (tolerance.relative && gap.relative <= *tolerance.relative) || (tolerance.ulps && ulps <= *tolerance.ulps);
}

// The one with the lower element.
void keep_first(std::optional<ElementPair>& kept, const std::optional<ElementPair>& other) {
  if (other && (!kept || other->element < kept->element)) kept = other;
}

}  // namespace

template <class T>
void PairStatistics::add_values(ElementType type, const Tolerance& tolerance, std::uint64_t first, const std::byte* one,
                                const std::byte* other, std::size_t count) {
  const auto pair_at = [&](std::size_t i) {
    return ElementPair{first + i, value_text(type, one + i * sizeof(T)), value_text(type, other + i * sizeof(T))};
  };
  PairStatistics part;
  part.elements_ = count;
  for (std::size_t i = 0; i < count; ++i) {
    const T a = load<T>(one + i * sizeof(T)), b = load<T>(other + i * sizeof(T));
    const std::uint64_t ulps = ulps_between(a, b);
    part.ulps_.add(ulps);
    if (same_values(a, b)) continue;
    ++part.differing_;
    if (!part.first_) part.first_ = pair_at(i);
    if (!part.widest_ || ulps > part.widest_ulps_) {
      part.widest_ = pair_at(i);
      part.widest_ulps_ = ulps;
    }
    bool agree = false;
    if (ulps == kNoDistance) {
      ++part.lone_nans_;
    } else {
      if (ulps == 0) ++part.signed_zeros_;
      const Gap gap = gap_between(a, b, ulps);
      part.most_absolute_ = std::max(part.most_absolute_, gap.absolute);
      part.most_relative_ = std::max(part.most_relative_, gap.relative);
      agree = within(tolerance, gap, ulps);
    }
    if (agree) continue;
    ++part.beyond_;
    if (!part.first_beyond_) part.first_beyond_ = pair_at(i);
  }
  add(part);
}

void PairStatistics::add(ElementType type, const Tolerance& tolerance, std::uint64_t first, const std::byte* one,
                         const std::byte* other, std::size_t count) {
  kernels::with_type(
      type, [&](auto tag) { add_values<typename decltype(tag)::type>(type, tolerance, first, one, other, count); },
      [] {});
}

void PairStatistics::add(const PairStatistics& part) {
  elements_ += part.elements_;
  differing_ += part.differing_;
  beyond_ += part.beyond_;
  signed_zeros_ += part.signed_zeros_;
  lone_nans_ += part.lone_nans_;
  ulps_.add(part.ulps_);
  most_absolute_ = std::max(most_absolute_, part.most_absolute_);
  most_relative_ = std::max(most_relative_, part.most_relative_);
  keep_first(first_, part.first_);
  keep_first(first_beyond_, part.first_beyond_);
  if (part.widest_ && (!widest_ || part.widest_ulps_ > widest_ulps_)) {
    widest_ = part.widest_;
    widest_ulps_ = part.widest_ulps_;
  } else if (part.widest_ulps_ == widest_ulps_) {
    keep_first(widest_, part.widest_);
  }
}

}  // namespace petri::compare

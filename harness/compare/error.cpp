#include "harness/compare/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/compare/element.hpp"

namespace petri::compare {
namespace {

// Half a unit in the last place of 1.
double rounding_of_one(ElementType type) {
  switch (type) {
    case ElementType::float16: return 0x1p-11;
    case ElementType::bfloat16: return 0x1p-8;
    case ElementType::float32: return 0x1p-24;
    case ElementType::float64: return 0x1p-53;
    default: return 1;
  }
}

// NaN stays behind all numbers: it is counted apart.
void keep_larger(double& kept, double value) {
  if (value > kept) kept = value;
}

}  // namespace

void ErrorStatistics::add(ElementType type, const ExactColumns& exact, std::uint64_t first, const std::byte* results,
                          std::size_t count) {
  ErrorStatistics part;
  part.elements_ = count;
  const std::size_t size = size_of(type);
  const double rounding = rounding_of_one(type);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* result = results + i * size;
    part.ulps_.add(compare::ulps(type, result, exact.rounded() + i * size));
    const double error = exact.error_of(i, result), value = exact.exact(i), magnitude = exact.magnitude(i);
    if (std::isnan(error)) {
      ++part.nans_;
      continue;
    }
    part.exact_squares_.add(value * value);
    if (!(error > 0)) continue;
    part.error_squares_.add(error * error);
    keep_larger(part.most_absolute_, error);
    const double relative = std::isinf(error) ? error : error / std::abs(value);
    if (relative > part.most_relative_) {
      part.most_relative_ = relative;
      part.most_relative_at_ = first + i;
    }
    if (magnitude > 0) keep_larger(part.most_roundings_, error / magnitude / rounding);
  }
  add(part);
}

void ErrorStatistics::add(const ErrorStatistics& part) {
  elements_ += part.elements_;
  nans_ += part.nans_;
  ulps_.add(part.ulps_);
  keep_larger(most_absolute_, part.most_absolute_);
  keep_larger(most_roundings_, part.most_roundings_);
  const bool wider = part.most_relative_ > most_relative_;
  const bool sooner = part.most_relative_ == most_relative_ && part.most_relative_at_ < most_relative_at_;
  if (wider || (sooner && part.most_relative_ > 0)) {
    most_relative_ = part.most_relative_;
    most_relative_at_ = part.most_relative_at_;
  }
  error_squares_.add(part.error_squares_);
  exact_squares_.add(part.exact_squares_);
}

double ErrorStatistics::norm_relative() const {
  const double errors = error_squares_.rounded();
  return errors > 0 ? std::sqrt(errors / exact_squares_.rounded()) : 0;
}

void Conditions::add(const ExactColumns& exact, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double sum = exact.exact(i), magnitude = exact.magnitude(i);
    if (!std::isfinite(sum) || !std::isfinite(magnitude)) continue;
    const double condition = magnitude > 0 ? magnitude / std::abs(sum) : 1;
    most_ = std::max(most_, condition);
    doublings_.add(std::isinf(condition) ? kNoDistance
                                         : static_cast<std::uint64_t>(std::max(0.0, std::ceil(std::log2(condition)))));
  }
}

void Conditions::add(const Conditions& part) {
  most_ = std::max(most_, part.most_);
  doublings_.add(part.doublings_);
}

double Conditions::quantile(double share) const {
  const std::uint64_t doublings = doublings_.quantile(share);
  return doublings == kNoDistance ? std::numeric_limits<double>::infinity()
                                  : std::min(most_, std::ldexp(1, static_cast<int>(doublings)));
}

}  // namespace petri::compare

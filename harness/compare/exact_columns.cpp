#include "harness/compare/exact_columns.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/compare/element_values.hpp"
#include "kernels/cpu/arithmetic.hpp"
#include "kernels/cpu/exact_sum.hpp"

namespace petri::compare {
namespace {

// Sums and averages of floating-point numbers.
template <class T>
class RealColumns final : public ExactColumns {
 public:
  explicit RealColumns(ReduceOp op) : average_(op == ReduceOp::avg) {}

  void take(const std::byte* columns, std::int32_t ranks, std::size_t count) override {
    ranks_ = average_ ? ranks : 1;
    sums_.assign(count, {});
    magnitudes_.assign(count, 0);
    rounded_.resize(count);
    const auto* x = reinterpret_cast<const T*>(columns);
    for (std::size_t i = 0; i < count; ++i, x += ranks) {
      sums_[i].add(std::span<const T>(x, static_cast<std::size_t>(ranks)));
      for (std::int32_t rank = 0; rank < ranks; ++rank) magnitudes_[i] += std::abs(as_double(x[rank]));
      magnitudes_[i] /= ranks_;
      rounded_[i] = average_ ? static_cast<T>(exact(i)) : sums_[i].rounded();
    }
  }

  const std::byte* rounded() const override { return reinterpret_cast<const std::byte*>(rounded_.data()); }

  double exact(std::size_t column) const override { return sums_[column].template rounded_to<double>() / ranks_; }
  double magnitude(std::size_t column) const override { return magnitudes_[column]; }

  double error_of(std::size_t column, const std::byte* result) const override {
    const T value = load<T>(result);
    const double sum = exact(column);
    if (is_nan_value(value) || std::isnan(sum))
      return is_nan_value(value) == std::isnan(sum) ? 0 : std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(as_double(value)) || std::isinf(sum) || average_) {
      const bool equal = !(as_double(value) < sum) && !(as_double(value) > sum);
      return equal ? 0 : std::abs(as_double(value) - sum);
    }
    kernels::ExactSum<T> difference = sums_[column];
    difference.add(-value);
    return std::abs(difference.template rounded_to<double>());
  }

 private:
  bool average_;
  double ranks_ = 1;
  std::vector<kernels::ExactSum<T>> sums_;
  std::vector<double> magnitudes_;
  std::vector<T> rounded_;
};

// Operations whose result does not depend on the order: folded.
template <class T>
class FoldedColumns final : public ExactColumns {
 public:
  FoldedColumns(const kernels::Arithmetic& arithmetic, ReduceOp op)
      : arithmetic_(arithmetic), sums_(op == ReduceOp::sum || op == ReduceOp::avg) {}

  void take(const std::byte* columns, std::int32_t ranks, std::size_t count) override {
    results_.resize(count);
    magnitudes_.assign(count, 0);
    const auto* x = reinterpret_cast<const T*>(columns);
    for (std::size_t i = 0; i < count; ++i, x += ranks) {
      results_[i] = x[0];
      for (std::int32_t rank = 1; rank < ranks; ++rank) arithmetic_.combine(x + rank, &results_[i], 1);
      if (!sums_) continue;
      for (std::int32_t rank = 0; rank < ranks; ++rank) magnitudes_[i] += std::abs(as_double(x[rank]));
    }
    if (arithmetic_.scale != kernels::Arithmetic::Scale::none)
      kernels::scale(arithmetic_.element, results_.data(), count, ranks);
  }

  const std::byte* rounded() const override { return reinterpret_cast<const std::byte*>(results_.data()); }

  double exact(std::size_t column) const override { return as_double(results_[column]); }
  double magnitude(std::size_t column) const override { return magnitudes_[column]; }

  double error_of(std::size_t column, const std::byte* result) const override {
    const T value = load<T>(result), exact = results_[column];
    if (is_nan_value(value) || is_nan_value(exact))
      return same_values(value, exact) ? 0 : std::numeric_limits<double>::quiet_NaN();
    if (std::is_integral_v<T>) return static_cast<double>(ulps_between(value, exact));
    return ulps_between(value, exact) == 0 ? 0 : std::abs(as_double(value) - as_double(exact));
  }

 private:
  kernels::Arithmetic arithmetic_;
  bool sums_;
  std::vector<T> results_;
  std::vector<double> magnitudes_;
};

}  // namespace

std::unique_ptr<ExactColumns> exact_columns(ElementType type, ReduceOp op) {
  const auto arithmetic = kernels::arithmetic(type, op);
  if (!arithmetic || op == ReduceOp::prod) return nullptr;
  return kernels::with_type(
      type,
      [&](auto tag) -> std::unique_ptr<ExactColumns> {
        using T = typename decltype(tag)::type;
        if constexpr (!std::is_integral_v<T>)
          if (op == ReduceOp::sum || op == ReduceOp::avg) return std::make_unique<RealColumns<T>>(op);
        return std::make_unique<FoldedColumns<T>>(*arithmetic, op);
      },
      [] { return std::unique_ptr<ExactColumns>(); });
}

}  // namespace petri::compare

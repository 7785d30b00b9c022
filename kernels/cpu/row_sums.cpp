// Compiled once for each kind of vector instructions (Google Highway); what is chosen at run time is at the end.
#include "kernels/cpu/row_sums.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/cpu/float_environment.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/row_sums.cpp"
#include "kernels/cpu/simd_targets.hpp"
// These come after the choice of targets.
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/beside.inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace petri::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;
using V = hn::Vec<Doubles>;
constexpr std::size_t kLanes = HWY_LANES(double);

// Knuth's TwoSum: sum + error = a + b, exactly. Half of its additions are beside the others.
struct TwoSum {
  V sum, error;
};
HWY_INLINE TwoSum two_sum(V a, V b, V one) {
  const V sum = hn::Add(a, b);
  const V added = sub_beside(sum, a, one);
  const V of_a = sub_beside(a, hn::Sub(sum, added), one);
  return {sum, add_beside(of_a, hn::Sub(b, added), one)};
}

// Nothing was lost, and nothing is NaN, infinite or out of T's range (where Highway's conversions differ: some
// saturate).
template <class T>
HWY_INLINE bool all_exact(V sums, V lost) {
  const Doubles d;
  const V largest = hn::Set(d, static_cast<double>(std::numeric_limits<T>::max()));
  return hn::AllTrue(d, hn::And(hn::Eq(lost, hn::Zero(d)), hn::Le(hn::Abs(sums), largest)));
}

// One vector of columns. False where one of them is not exact: nothing is written.
HWY_INLINE bool sum_columns(const double* const* rows, std::size_t count, std::size_t at, V one, double* result) {
  const Doubles d;
  V head = hn::LoadU(d, rows[0] + at), tail = hn::Zero(d), lost = hn::Zero(d);
  if (count > 1) {
    const TwoSum first = two_sum(head, hn::LoadU(d, rows[1] + at), one);
    head = first.sum;
    tail = first.error;
    lost = hn::Sub(tail, tail);  // NaN where a step near the end of the range has overflowed
  }
  for (std::size_t r = 2; r < count; ++r) {
    const TwoSum sum = two_sum(head, hn::LoadU(d, rows[r] + at), one);
    const TwoSum errors = two_sum(tail, sum.error, one);
    head = sum.sum;
    tail = errors.sum;
    lost = hn::Or(lost, errors.error);
  }
  if (!all_exact<double>(head, lost)) return false;
  // The one rounding; without a tail the sign of a zero stays.
  hn::StoreU(hn::IfThenElse(hn::Eq(tail, hn::Zero(d)), head, hn::Add(head, tail)), d, result + at);
  return true;
}

HWY_INLINE bool sum_columns(const float* const* rows, std::size_t count, std::size_t at, V one, float* result) {
  const Doubles d;
  const auto load = [&](std::size_t row) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(Floats{}, rows[row] + at)); };
  V head = load(0), lost = hn::Zero(d);
  for (std::size_t r = 1; r < count; ++r) {
    const TwoSum sum = two_sum(head, load(r), one);
    head = sum.sum;
    lost = hn::Or(lost, sum.error);
  }
  if (!all_exact<float>(head, lost)) return false;
  hn::StoreU(hn::DemoteTo(Floats{}, head), Floats{}, result + at);
  return true;
}

// Vectors of columns from `at` on as long as they are exact; where the first one is that is not, or that is not whole.
template <class T>
std::size_t sum_while_exact(const T* const* rows, std::size_t row_count, std::size_t at, std::size_t count, T* result) {
  const V unit = one();
  while (at + kLanes <= count && sum_columns(rows, row_count, at, unit, result)) at += kLanes;
  return at;
}

std::size_t sum_doubles(const double* const* rows, std::size_t row_count, std::size_t at, std::size_t count,
                        double* result) {
  return sum_while_exact(rows, row_count, at, count, result);
}
std::size_t sum_floats(const float* const* rows, std::size_t row_count, std::size_t at, std::size_t count,
                       float* result) {
  return sum_while_exact(rows, row_count, at, count, result);
}

}  // namespace petri::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace petri::kernels {
namespace {

HWY_EXPORT(sum_doubles);
HWY_EXPORT(sum_floats);

template <class T>
T exact_column(std::span<const T* const> rows, std::size_t at) {
  if constexpr (std::is_integral_v<T>) {
    std::make_unsigned_t<T> sum = 0;
    for (const T* row : rows) sum += static_cast<std::make_unsigned_t<T>>(row[at]);
    return static_cast<T>(sum);
  } else {
    ExactSum<T> sum;
    for (const T* row : rows) sum.add(row[at]);
    return sum.rounded();
  }
}

// As many columns as the widest vectors have.
constexpr std::size_t kColumns = 8;

template <class T>
std::size_t sum_vectors(std::span<const T* const> rows, std::size_t at, std::size_t count, T* result) {
  if constexpr (std::is_same_v<T, double>)
    return HWY_DYNAMIC_DISPATCH(sum_doubles)(rows.data(), rows.size(), at, count, result);
  else if constexpr (std::is_same_v<T, float>)
    return HWY_DYNAMIC_DISPATCH(sum_floats)(rows.data(), rows.size(), at, count, result);
  else
    return at;
}

}  // namespace

template <class T>
void exact_sum_rows(std::span<const T* const> rows, std::size_t count, T* result) {
  if (rows.empty()) {
    std::fill_n(result, count, T(0));
    return;
  }
  const ScopedFloatEnvironment environment;
  for (std::size_t at = 0; at < count;) {
    at = sum_vectors(rows, at, count, result);
    for (const std::size_t end = std::min(at + kColumns, count); at < end; ++at) result[at] = exact_column(rows, at);
  }
}

template void exact_sum_rows(std::span<const float* const>, std::size_t, float*);
template void exact_sum_rows(std::span<const double* const>, std::size_t, double*);
template void exact_sum_rows(std::span<const Eigen::half* const>, std::size_t, Eigen::half*);
template void exact_sum_rows(std::span<const Eigen::bfloat16* const>, std::size_t, Eigen::bfloat16*);
template void exact_sum_rows(std::span<const std::int32_t* const>, std::size_t, std::int32_t*);
template void exact_sum_rows(std::span<const std::int64_t* const>, std::size_t, std::int64_t*);

}  // namespace petri::kernels
#endif

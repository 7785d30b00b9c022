// Exact sums element by element: what a reproducible reduction over ranks computes on one of them.
#pragma once

#include <cstddef>
#include <span>

namespace petri::kernels {

// result[i] = rows[0][i] + rows[1][i] + … as ExactSum<T> defines it, so with the same bits for any order of the rows.
// Each row has `count` elements; `result` may be one of them. For float, double, Eigen::half and Eigen::bfloat16;
// int32_t and int64_t wrap. Nearly as fast as rounded additions for float and double, unless a column's magnitudes lie
// further apart than double (float) or two of them (double) can hold: such columns, NaNs and infinities take an
// ExactSum each.
template <class T>
void exact_sum_rows(std::span<const T* const> rows, std::size_t count, T* result);

}  // namespace petri::kernels

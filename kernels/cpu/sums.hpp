// Sums of one array on one machine, side by side: each by its own order, and so with its own bits.
//
//   plain         eight vector accumulators, element i in lane i mod (8 · width); bits by width of vectors and threads
//   pairwise      blocks of 1,024 in 256 bytes of lanes; halves at powers of two; bits by threads
//   compensated   128 bytes of lanes, each with the sum of its rounding errors beside it; bits by threads
//   exact         no order: the real sum, rounded once; always the same bits
//   reproducible  the exact sum
//   atomic        each element added to one place in memory as its thread comes to it; bits from run to run
//   arrival       each thread's plain sum added to one place when it is ready; bits from run to run
//
// Types: float, double; Eigen::half and Eigen::bfloat16 are widened to float, which is exact, and the sum is rounded
// back (exact: once); int32_t and int64_t wrap, whatever the order. The sum of nothing is +0, that of elements which
// are all -0 is -0. An infinity or NaN among the elements comes out as in any sequence of IEEE additions; apart from
// the exact sum's NaN (exact_sum.hpp), its sign and payload are not defined. Rounded sums overflow where one of their
// steps does.
//
// With a team, its members take contiguous parts, and their sums are combined in the order of the members; `atomic` and
// `arrival` as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/cpu/team.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::kernels {

enum class SumKernel : std::uint8_t { plain, pairwise, compensated, exact, reproducible, atomic, arrival };

std::string_view name_of(SumKernel kernel);
std::optional<SumKernel> sum_kernel_named(std::string_view name);

// For the six types above.
template <class T>
T sum(SumKernel kernel, std::span<const T> elements, Team& team);
template <class T>
T sum(SumKernel kernel, std::span<const T> elements);

// The same by the name of the type, in which `elements` and `result` are. False for a type without sums.
bool sum(SumKernel kernel, ElementType type, const void* elements, std::size_t count, Team& team, void* result);

}  // namespace petri::kernels

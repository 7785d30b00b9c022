#include "kernels/cpu/openmpi_ops.hpp"

#include <bit>
#include <type_traits>

#include "kernels/cpu/elementwise.hpp"

namespace petri::kernels {
namespace {

enum class Where { vector, single };

// As the processor does with a NaN that it computes with.
template <class T>
T quieted(T nan) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits quiet = Bits{1} << (sizeof(T) == 4 ? 22 : 51);
  return std::bit_cast<T>(std::bit_cast<Bits>(nan) | quiet);
}

// A sum or product with one NaN is that NaN wherever it is; with two, the place decides.
template <Where where, class T, class F>
T computed_at(T left, T right, F f) {
  if constexpr (std::is_floating_point_v<T>) {
    if (left != left && right != right) return quieted(where == Where::vector ? left : right);
  }
  return computed(left, right, f);
}

template <Where where>
struct Sum {
  template <class T>
  static T of(T left, T right) {
    return computed_at<where>(left, right, [](auto a, auto b) { return a + b; });
  }
};
template <Where where>
struct Product {
  template <class T>
  static T of(T left, T right) {
    return computed_at<where>(left, right, [](auto a, auto b) { return a * b; });
  }
};
template <Where where>
struct Min {
  template <class T>
  static T of(T left, T right) {
    return where == Where::vector ? (left < right ? left : right) : (right < left ? right : left);
  }
};
template <Where where>
struct Max {
  template <class T>
  static T of(T left, T right) {
    return where == Where::vector ? (left > right ? left : right) : (right > left ? right : left);
  }
};

template <class T, template <Where> class Op>
Arithmetic made(ElementType element, std::size_t vector_bytes) {
  Arithmetic how{element, element, combine_all<T, Op<Where::single>>};
  if constexpr (std::is_floating_point_v<T>) {
    if (vector_bytes > 0) {
      how.combine = combine_all<T, Op<Where::vector>>;
      how.tail = combine_all<T, Op<Where::single>>;
      how.lanes = vector_bytes / sizeof(T);
    }
  }
  return how;
}

template <class T>
std::optional<Arithmetic> of_type(ElementType element, ReduceOp op, std::size_t vector_bytes) {
  switch (op) {
    case ReduceOp::sum: return made<T, Sum>(element, vector_bytes);
    case ReduceOp::prod: return made<T, Product>(element, vector_bytes);
    case ReduceOp::min: return made<T, Min>(element, vector_bytes);
    case ReduceOp::max: return made<T, Max>(element, vector_bytes);
    default: return std::nullopt;
  }
}

}  // namespace

std::size_t openmpi_vector_bytes(ElementType element, std::uint32_t support) {
  // ompi/mca/op/avx/op_avx_component.c: any of the three brings the component in, and its functions go on with narrower
  // vectors where these are allowed, too.
  using namespace openmpi_support;
  if ((support & (avx | avx2 | avx512f)) == 0) return 0;
  if ((support & (element == ElementType::float64 ? sse2 : sse)) != 0) return 16;
  if ((support & avx) != 0 && (support & (avx2 | avx512f)) != 0) return 32;
  return (support & avx512f) != 0 ? 64 : 0;
}

std::optional<Arithmetic> openmpi_arithmetic(ElementType element, ReduceOp op, std::uint32_t support) {
  const std::size_t bytes = openmpi_vector_bytes(element, support);
  switch (element) {
    case ElementType::float32: return of_type<float>(element, op, bytes);
    case ElementType::float64: return of_type<double>(element, op, bytes);
    case ElementType::int32: return of_type<std::int32_t>(element, op, bytes);
    case ElementType::int64: return of_type<std::int64_t>(element, op, bytes);
    default: return std::nullopt;
  }
}

}  // namespace petri::kernels

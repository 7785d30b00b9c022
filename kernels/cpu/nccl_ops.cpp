#include "kernels/cpu/nccl_ops.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/cpu/elementwise.hpp"
#include "kernels/cpu/halves.hpp"

namespace petri::kernels {
namespace {

// The one NaN that the device's arithmetic gives; float64 keeps the one it has.
template <class T>
T with_device_nan(T value) {
  if constexpr (std::is_integral_v<T> || std::is_same_v<T, double>) {
    return value;
  } else {
    return (Eigen::numext::isnan)(value)
               ? std::bit_cast<T>(static_cast<Bits<T>>(std::numeric_limits<Bits<T>>::max() / 2))
               : value;
  }
}

struct DeviceSum {
  template <class T>
  static T of(T a, T b) {
    return with_device_nan(computed(a, b, [](auto x, auto y) { return x + y; }));
  }
};

struct DeviceProduct {
  template <class T>
  static T of(T a, T b) {
    return with_device_nan(computed(a, b, [](auto x, auto y) { return x * y; }));
  }
};

template <bool Smaller>
struct DeviceExtreme {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return (Smaller ? a < b : b < a) ? a : b;
    } else {
      const auto x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
      if (std::isnan(x)) return with_device_nan(b);
      if (std::isnan(y)) return a;
      if (x == y) return std::signbit(x) == Smaller ? a : b;
      return (Smaller ? x < y : y < x) ? a : b;
    }
  }
};

template <class T>
Combine device_combine(ReduceOp op) {
  return combine_of<T, DeviceSum, DeviceProduct, DeviceExtreme<true>, DeviceExtreme<false>>(op);
}

template <class T>
void combine_scaled_all(const void* left, void* right, std::size_t count, std::int32_t ranks) {
  const T* a = static_cast<const T*>(left);
  T* b = static_cast<T*>(right);
  const T factor = static_cast<T>(Wide<T>{1} / static_cast<Wide<T>>(ranks));
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (is_half<T>) {
      b[i] = with_device_nan(fused_half(a[i], factor, b[i]));
    } else {
      b[i] = with_device_nan(std::fma(a[i], factor, b[i]));
    }
  }
}

bool is_floating(ElementType type) {
  return with_type(
      type, [](auto tag) { return !std::is_integral_v<typename decltype(tag)::type>; }, [] { return false; });
}

bool is_half_type(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

CombineScaled combine_scaled_of(ElementType type) {
  return with_type(
      type,
      [](auto tag) -> CombineScaled {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>) {
          return nullptr;
        } else {
          return combine_scaled_all<T>;
        }
      },
      [] { return CombineScaled{}; });
}

std::optional<Arithmetic> symmetric_arithmetic(ElementType element, ReduceOp op) {
  if (op != ReduceOp::sum && op != ReduceOp::avg) return std::nullopt;
  if (!is_half_type(element) && element != ElementType::float32) return std::nullopt;
  Arithmetic how{.element = element, .accumulator = ElementType::float32};
  how.combine = device_combine<float>(op);
  if (op == ReduceOp::avg) how.scale = Arithmetic::Scale::after;
  return how;
}

}  // namespace

bool averages_vary(ElementType element, NcclKernel kernel) {
  return kernel == NcclKernel::ll128 && is_floating(element) && !is_half_type(element);
}

std::optional<Arithmetic> nccl_arithmetic(ElementType element, ReduceOp op, NcclKernel kernel) {
  if (kernel == NcclKernel::symmetric) return symmetric_arithmetic(element, op);
  Arithmetic how{.element = element, .accumulator = element};
  how.combine = with_type(
      element, [&](auto tag) { return device_combine<typename decltype(tag)::type>(op); }, [] { return Combine{}; });
  if (how.combine == nullptr) return std::nullopt;
  if (op != ReduceOp::avg) return how;
  if (!is_floating(element)) {
    how.scale = Arithmetic::Scale::after;
  } else if (kernel == NcclKernel::ll128) {
    how.scale = Arithmetic::Scale::before;
  } else {
    how.scale = Arithmetic::Scale::fused;
    how.combine_scaled = combine_scaled_of(element);
  }
  return how;
}

}  // namespace petri::kernels

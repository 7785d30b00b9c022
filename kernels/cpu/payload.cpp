#include "kernels/cpu/payload.hpp"

#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernels/cpu/element_types.hpp"
#include "kernels/cpu/halves.hpp"

namespace petri::kernels {
namespace {

template <class T>
T converted(double value) {
  if constexpr (is_half<T>) {
    // By way of float32 a value could be rounded twice.
    const auto nearest = static_cast<float>(value);
    const auto near = static_cast<double>(nearest);
    return static_cast<T>(to_odd(nearest, !(near != value), value > near));
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (!std::is_integral_v<T>) {  // complex
    return T(static_cast<typename T::value_type>(value));
  } else {
    // Outside the type's range the conversion is undefined.
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (!(value > low)) return std::numeric_limits<T>::min();
    return value < high ? static_cast<T>(value) : std::numeric_limits<T>::max();
  }
}

template <class T>
void write_all(const Payload& payload, std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const T value = converted<T>(value_at(payload, rank, first + i));
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void write_payload(const Payload& payload, std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count,
                   std::byte* out) {
  const auto write = [&]<class T>(T) { write_all<T>(payload, rank, first, count, out); };
  switch (type) {
    case ElementType::float16: return write(Eigen::half{});
    case ElementType::bfloat16: return write(Eigen::bfloat16{});
    case ElementType::float32: return write(float{});
    case ElementType::float64: return write(double{});
    case ElementType::longdouble: return write(static_cast<long double>(0));
    case ElementType::complex64: return write(std::complex<float>{});
    case ElementType::complex128: return write(std::complex<double>{});
    default: break;
  }
  switch (size_of(type)) {
    case 2: return write(std::int16_t{});
    case 0:
    case 4: return write(std::int32_t{});
    case 8: return write(std::int64_t{});
    default: break;
  }
  // Pair and other types: byte by byte.
  write_all<std::int8_t>(payload, rank, first * size_of(type), count * size_of(type), out);
}

}  // namespace petri::kernels

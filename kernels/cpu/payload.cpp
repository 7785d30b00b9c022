#include "kernels/cpu/payload.hpp"

#include <cmath>
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

// An unsigned type takes its whole range, and below it the bits of the signed one.
template <class T>
T converted_bits(double value) {
  if constexpr (std::is_unsigned_v<T>)
    if (!(value >= 0)) return static_cast<T>(converted<std::make_signed_t<T>>(value));
  return converted<T>(value);
}

template <class T>
void note_loss(double value, [[maybe_unused]] T written, ConversionLoss& loss) {
  ++loss.numbers;
  if constexpr (std::is_integral_v<T>) {
    const double end = std::ldexp(1.0, std::numeric_limits<T>::digits), low = std::is_signed_v<T> ? -end : 0;
    if (std::isnan(value)) {
      ++loss.nans;
    } else if (const double whole = std::trunc(value); !(whole >= low && whole < end)) {
      ++loss.bounded;
    } else if (whole != value) {
      ++loss.cut;
    }
  } else if constexpr (is_half<T> || std::is_floating_point_v<T>) {
    const auto back = static_cast<double>(written);
    if (std::isinf(back) && !std::isinf(value)) ++loss.bounded;
    if (back == 0 && value != 0) ++loss.vanished;
  }
}

template <class T>
void write_all(const Payload& payload, std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out,
               ConversionLoss* loss) {
  for (std::size_t i = 0; i < count; ++i) {
    const double number = value_at(payload, rank, first + i);
    const T value = converted_bits<T>(number);
    if (loss != nullptr) note_loss(number, value, *loss);
    std::memcpy(out + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

void ConversionLoss::add(const ConversionLoss& other) {
  numbers += other.numbers;
  cut += other.cut;
  bounded += other.bounded;
  nans += other.nans;
  vanished += other.vanished;
}

void write_payload(const Payload& payload, std::int32_t rank, ElementType type, std::uint64_t first, std::size_t count,
                   std::byte* out, ConversionLoss* loss) {
  const auto write = [&]<class T>(T) { write_all<T>(payload, rank, first, count, out, loss); };
  switch (type) {
    case ElementType::float16: return write(Eigen::half{});
    case ElementType::bfloat16: return write(Eigen::bfloat16{});
    case ElementType::float32: return write(float{});
    case ElementType::float64: return write(double{});
    case ElementType::longdouble: return write(static_cast<long double>(0));
    case ElementType::complex64: return write(std::complex<float>{});
    case ElementType::complex128: return write(std::complex<double>{});
    case ElementType::uint8: return write(std::uint8_t{});
    case ElementType::uint16: return write(std::uint16_t{});
    case ElementType::uint32: return write(std::uint32_t{});
    case ElementType::uint64: return write(std::uint64_t{});
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
  write_all<std::int8_t>(payload, rank, first * size_of(type), count * size_of(type), out, loss);
}

}  // namespace petri::kernels

#include "harness/worker/payload.hpp"

#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>

namespace petri {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014): one number from a counter, so that no order of calls matters.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

double value_at(const Event& event, std::int32_t rank, std::size_t index) {
  const EventExtras& extras = event.extras;
  if (!extras.values().empty()) return extras.values()[index % extras.values().size()];
  if (extras.fill()) {
    const Fill& fill = *extras.fill();
    if (fill.generator == "constant") return fill.scale;
    if (fill.generator == "ramp") return fill.scale * static_cast<double>(index);
    const std::uint64_t bits = mixed(mixed(fill.seed + static_cast<std::uint64_t>(rank)) + index);
    return fill.scale * (static_cast<double>(bits >> 11) * 0x1p-52 - 1.0);
  }
  return static_cast<double>((static_cast<std::size_t>(rank) * 7 + index) % 13 + 1);
}

template <class T>
T converted(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (!std::is_integral_v<T>) {  // complex
    return T(static_cast<typename T::value_type>(value));
  } else {
    // Outside the type's range the conversion is undefined; NaN becomes the lower limit.
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const double high = static_cast<double>(std::numeric_limits<T>::max());
    if (!(value > low)) return std::numeric_limits<T>::min();
    return value < high ? static_cast<T>(value) : std::numeric_limits<T>::max();
  }
}

template <class T>
void write_all(const Event& event, std::int32_t rank, Bytes& buffer) {
  for (std::size_t i = 0; i < buffer.size() / sizeof(T); ++i) {
    const T value = converted<T>(value_at(event, rank, i));
    std::memcpy(buffer.data() + i * sizeof(T), &value, sizeof(T));
  }
}

}  // namespace

Bytes payload_of(const Event& event, std::int32_t rank, ElementType type, std::size_t elements) {
  const std::size_t size = size_of(type) == 0 ? sizeof(std::int32_t) : size_of(type);
  Bytes buffer(elements * size);
  switch (type) {
    case ElementType::float32: write_all<float>(event, rank, buffer); break;
    case ElementType::float64: write_all<double>(event, rank, buffer); break;
    case ElementType::longdouble: write_all<long double>(event, rank, buffer); break;
    case ElementType::complex64: write_all<std::complex<float>>(event, rank, buffer); break;
    case ElementType::complex128: write_all<std::complex<double>>(event, rank, buffer); break;
    default:
      switch (size) {
        case 2: write_all<std::int16_t>(event, rank, buffer); break;
        case 4: write_all<std::int32_t>(event, rank, buffer); break;
        case 8: write_all<std::int64_t>(event, rank, buffer); break;
        default: write_all<std::int8_t>(event, rank, buffer); break;
      }
  }
  return buffer;
}

}  // namespace petri

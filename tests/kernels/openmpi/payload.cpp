#include "tests/kernels/openmpi/payload.hpp"

#include <bit>
#include <limits>
#include <type_traits>

#include "kernels/cpu/element_types.hpp"

namespace petri::openmpi_orders {
namespace {

// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

std::uint64_t chance(std::uint64_t seed, std::int32_t rank, std::uint64_t element) {
  return mixed(mixed(seed * 1024 + static_cast<std::uint64_t>(rank)) + element);
}

// What the width of a type allows.
template <class T>
struct Width {
  static constexpr int exponents = 20;
};
template <>
struct Width<Eigen::half> {
  static constexpr int exponents = 6;
};

// ± 1.xxx · 2^e with e from -exponents to exponents.
double spread(std::uint64_t bits, int exponents) {
  const std::uint64_t exponent =
      1023 - static_cast<unsigned>(exponents) + bits % static_cast<unsigned>(2 * exponents + 1);
  return std::bit_cast<double>((bits << 52 & 1ULL << 63) | exponent << 52 | bits >> 12);
}

template <class T>
T quiet_nan(std::int32_t rank) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(0x7FC00001U + static_cast<std::uint32_t>(rank));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(0x7FF8000000000001U + static_cast<std::uint64_t>(rank));
  } else {
    return std::numeric_limits<T>::quiet_NaN();
  }
}

template <class T>
T special(const Payload& payload, std::int32_t rank, std::uint64_t element) {
  const std::uint64_t bits = chance(payload.seed, rank, element);
  // Where every element had its NaN, nothing would be seen of the zeros.
  const bool with_nans = (chance(payload.seed + 7, 0, element) & 1) != 0;
  switch (bits % 16) {
    case 0:
    case 1: return with_nans ? quiet_nan<T>(rank) : static_cast<T>(1.0F);
    case 2: return with_nans ? std::numeric_limits<T>::infinity() : static_cast<T>(0.0F);
    case 3: return with_nans ? -std::numeric_limits<T>::infinity() : static_cast<T>(-0.0F);
    case 4: return static_cast<T>(with_nans ? -2.0F : 0.0F);
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: return static_cast<T>(0.0F);
    default: return static_cast<T>(-0.0F);
  }
}

template <class T>
T value(const Payload& payload, std::int32_t rank, std::uint64_t element) {
  const std::uint64_t bits = chance(payload.seed, rank, element);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(bits);
  } else {
    using Real = std::conditional_t<kernels::is_half<T>, float, T>;
    switch (payload.kind) {
      case Kind::spread:
        return static_cast<T>(static_cast<Real>(spread(bits, payload.op == ReduceOp::prod ? 1 : Width<T>::exponents)));
      case Kind::cancelling: {
        const double big = 1000 * spread(chance(payload.seed + 1, rank / 2, element), 3);
        const double small = spread(bits, 3);
        return static_cast<T>(static_cast<Real>((rank % 2 == 0 ? big : -big) + small));
      }
      case Kind::special: return special<T>(payload, rank, element);
    }
    return T{};
  }
}

}  // namespace

order::Contribution contribution_of(const Payload& payload) {
  return kernels::with_type(
      payload.type,
      [&](auto tag) -> order::Contribution {
        using T = typename decltype(tag)::type;
        return [payload](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
          T* values = reinterpret_cast<T*>(out);
          for (std::size_t i = 0; i < count; ++i) values[i] = value<T>(payload, rank, first + i);
        };
      },
      []() -> order::Contribution { return nullptr; });
}

}  // namespace petri::openmpi_orders

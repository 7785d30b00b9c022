#include "kernels/cpu/arithmetic.hpp"

#include <cmath>

#include "kernels/cpu/elementwise.hpp"

namespace petri::kernels {
namespace {

struct Sum {
  template <class T>
  static T of(T a, T b) {
    return computed(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x + y); });
  }
};
struct Product {
  template <class T>
  static T of(T a, T b) {
    return computed(a, b, [](auto x, auto y) { return static_cast<decltype(x)>(x * y); });
  }
};
// The first NaN is kept; of equal values the one with the wanted sign.
template <bool Smaller>
struct Extreme {
  template <class T>
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return (Smaller ? a < b : b < a) ? a : b;
    } else {
      const auto x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
      if (std::isnan(x)) return a;
      if (std::isnan(y)) return b;
      if (x == y) return std::signbit(x) == Smaller ? a : b;
      return (Smaller ? x < y : y < x) ? a : b;
    }
  }
};

template <class From, class To>
void convert_all(const void* from, void* to, std::size_t count) {
  const From* a = static_cast<const From*>(from);
  To* b = static_cast<To*>(to);
  for (std::size_t i = 0; i < count; ++i) b[i] = static_cast<To>(a[i]);
}

// Between floating types only: an integer accumulator has no use, and one that is not exact would be a surprise.
template <class From, class To>
constexpr Convert converter() {
  constexpr bool floating = !std::is_integral_v<From> && !std::is_integral_v<To>;
  if constexpr (std::is_same_v<From, To>) {
    return convert_all<From, To>;
  } else if constexpr (floating && is_half<From> && is_half<To>) {
    return nullptr;
  } else if constexpr (floating) {
    return convert_all<From, To>;
  } else {
    return nullptr;
  }
}

}  // namespace

std::optional<Arithmetic> arithmetic(ElementType element, ReduceOp op, std::optional<ElementType> accumulator) {
  const ElementType inside = accumulator.value_or(element);
  if (conversion(element, inside) == nullptr || conversion(inside, element) == nullptr) return std::nullopt;
  const Combine combine = with_type(
      inside,
      [&](auto tag) {
        return combine_of<typename decltype(tag)::type, Sum, Product, Extreme<true>, Extreme<false>>(op);
      },
      [] { return Combine{}; });
  if (combine == nullptr) return std::nullopt;
  const auto scale = op == ReduceOp::avg ? Arithmetic::Scale::after : Arithmetic::Scale::none;
  return Arithmetic{element, inside, combine, scale};
}

Convert conversion(ElementType from, ElementType to) {
  return with_type(
      from,
      [&](auto a) {
        using From = typename decltype(a)::type;
        return with_type(
            to, [](auto b) { return converter<From, typename decltype(b)::type>(); }, [] { return Convert{}; });
      },
      [] { return Convert{}; });
}

void scale(ElementType type, void* data, std::size_t count, std::int32_t ranks) {
  with_type(
      type,
      [&](auto tag) {
        using T = typename decltype(tag)::type;
        T* values = static_cast<T*>(data);
        if constexpr (std::is_integral_v<T>) {
          for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(values[i] / ranks);
        } else {
          const T factor = static_cast<T>(Wide<T>{1} / static_cast<Wide<T>>(ranks));
          for (std::size_t i = 0; i < count; ++i) values[i] = Product::of(values[i], factor);
        }
      },
      [] {});
}

}  // namespace petri::kernels

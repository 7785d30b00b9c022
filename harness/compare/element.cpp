#include "harness/compare/element.hpp"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "harness/compare/element_values.hpp"

namespace petri::compare {

bool is_nan(ElementType type, const std::byte* element) {
  return kernels::with_type(
      type, [&](auto tag) { return is_nan_value(load<typename decltype(tag)::type>(element)); }, [] { return false; });
}

std::string value_text(ElementType type, const std::byte* element) {
  return kernels::with_type(
      type,
      [&](auto tag) {
        const auto value = load<typename decltype(tag)::type>(element);
        if (is_nan_value(value)) return std::string("nan");  // with either sign: NaNs are alike
        if constexpr (kernels::is_half<typename decltype(tag)::type>)
          return fmt::format("{}", static_cast<float>(value));
        else
          return fmt::format("{}", value);
      },
      [] { return std::string("?"); });
}

bool same(ElementType type, const std::byte* one, const std::byte* other) {
  return std::memcmp(one, other, size_of(type)) == 0 || (is_nan(type, one) && is_nan(type, other));
}

Contrast contrast(ElementType type, const std::byte* one, const std::byte* other) {
  return kernels::with_type(
      type,
      [&](auto tag) {
        using T = typename decltype(tag)::type;
        const double a = as_double(load<T>(one)), b = as_double(load<T>(other));
        if (std::isnan(a) || std::isnan(b)) return Contrast::nan;
        if (std::isinf(a) || std::isinf(b)) return Contrast::infinity;
        return !std::is_integral_v<T> && a == 0 && b == 0 ? Contrast::sign_of_zero : Contrast::size;
      },
      [] { return Contrast::size; });
}

std::uint64_t ulps(ElementType type, const std::byte* one, const std::byte* other) {
  return kernels::with_type(
      type,
      [&](auto tag) {
        using T = typename decltype(tag)::type;
        return ulps_between(load<T>(one), load<T>(other));
      },
      [] { return kNoDistance; });
}

}  // namespace petri::compare

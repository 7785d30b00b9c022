#include "harness/compare/element.hpp"

#include <fmt/format.h>

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

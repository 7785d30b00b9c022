#include "kernels/order/name.hpp"

#include <charconv>

namespace petri::order {

std::optional<Name> split(std::string_view text) {
  Name parts;
  if (const auto at = text.find('@'); at != std::string_view::npos) {
    parts.accumulator = element_type_named(text.substr(at + 1));
    if (!parts.accumulator) return std::nullopt;
    text = text.substr(0, at);
  }
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    parts.number = number;
    text = text.substr(0, colon);
  }
  parts.name = text;
  return parts;
}

}  // namespace petri::order

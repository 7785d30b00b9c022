// The parts of an order's name: NAME[:NUMBER][@TYPE].
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/types/element_type.hpp"

namespace petri::order {

struct Name {
  std::string_view name;
  std::optional<std::uint64_t> number;
  std::optional<ElementType> accumulator;
};

// Nothing where the number is none or the type is unknown. The parts are views into `text`.
std::optional<Name> split(std::string_view text);

}  // namespace petri::order

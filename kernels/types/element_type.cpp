#include "kernels/types/element_type.hpp"

#include <array>

namespace petri {
namespace {

struct Row {
  ElementType type;
  std::string_view name;
  std::size_t size;
};

using enum ElementType;

// In the order of the enumeration: name_of and size_of index it.
// clang-format off
constexpr std::array kRows{
    Row{unknown, "unknown", 0},
    Row{int8, "int8", 1}, Row{uint8, "uint8", 1}, Row{int16, "int16", 2}, Row{uint16, "uint16", 2},
    Row{int32, "int32", 4}, Row{uint32, "uint32", 4}, Row{int64, "int64", 8}, Row{uint64, "uint64", 8},
    Row{float8_e4m3, "float8_e4m3", 1}, Row{float8_e5m2, "float8_e5m2", 1},
    Row{float16, "float16", 2}, Row{bfloat16, "bfloat16", 2}, Row{float32, "float32", 4}, Row{float64, "float64", 8},
    Row{longdouble, "longdouble", 16},
    Row{complex64, "complex64", 8}, Row{complex128, "complex128", 16}, Row{complexlong, "complexlong", 32},
    Row{char8, "char", 1}, Row{wchar, "wchar", 4}, Row{boolean, "bool", 1}, Row{byte, "byte", 1},
    Row{packed, "packed", 1}, Row{aint, "aint", 8}, Row{offset, "offset", 8}, Row{count, "count", 8},
    Row{float_int, "float_int", 8}, Row{double_int, "double_int", 12}, Row{long_int, "long_int", 12},
    Row{two_int, "2int", 8}, Row{short_int, "short_int", 6}, Row{longdouble_int, "longdouble_int", 20},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].type) != i) return false;
  return true;
}
static_assert(in_order());

const Row& row_of(ElementType type) {
  return kRows.at(static_cast<std::size_t>(type));
}

}  // namespace

std::string_view name_of(ElementType type) {
  return row_of(type).name;
}

std::size_t size_of(ElementType type) {
  return row_of(type).size;
}

std::optional<ElementType> element_type_named(std::string_view name) {
  for (const Row& row : kRows)
    if (row.type != unknown && row.name == name) return row.type;
  return std::nullopt;
}

}  // namespace petri

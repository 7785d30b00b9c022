// Element types of messages and payloads: their names in a scenario file, and their sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace petri {

// `unknown` stands for "not recorded": it is never compared. Derived MPI types are recorded by their basic type where
// they are homogeneous, otherwise as `unknown`.
// clang-format off
enum class ElementType : std::uint8_t {
  unknown,
  int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  float8_e4m3, float8_e5m2, float16, bfloat16, float32, float64, longdouble,
  complex64, complex128, complexlong,
  char8, wchar, boolean, byte, packed, aint, offset, count,
  float_int, double_int, long_int, two_int, short_int, longdouble_int,
};
// clang-format on

// The name used in a scenario file, e.g. "float32"; "unknown" for the unknown type.
std::string_view name_of(ElementType type);

// The inverse of name_of; nothing for a name that is no element type ("unknown" included).
std::optional<ElementType> element_type_named(std::string_view name);

// Size of one element in bytes as on x86-64 (MPI 4.1, section 3.2.2 and 5.9.4 for the pair types); 0 for unknown.
std::size_t size_of(ElementType type);

}  // namespace petri

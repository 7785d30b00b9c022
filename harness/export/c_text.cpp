#include "harness/export/c_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

namespace petri::c {

std::string comment_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool harmless = c >= ' ' && c <= '~' && c != '*' && c != '\\' && c != '?';
    if (harmless)
      out += c;
    else if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U)  // one mark for a character of several bytes
      out += '_';
  }
  return out;
}

std::string comm_name(const Scenario& scenario, std::int32_t comm) {
  if (comm == 0) return "MPI_COMM_WORLD";
  constexpr std::size_t kLongest = 24;
  std::string out = fmt::format("comm_{}_", comm);
  for (const char c : scenario.comms[static_cast<std::size_t>(comm)].name.substr(0, kLongest)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      out += c;
    else if (out.back() != '_')
      out += '_';
  }
  while (out.back() == '_') out.pop_back();
  return out;
}

std::string_view type_name(ElementType type) {
  using enum ElementType;
  switch (type) {
    case int8: return "MPI_INT8_T";
    case uint8: return "MPI_UINT8_T";
    case int16: return "MPI_INT16_T";
    case uint16: return "MPI_UINT16_T";
    case int32: return "MPI_INT32_T";
    case uint32: return "MPI_UINT32_T";
    case int64: return "MPI_INT64_T";
    case uint64: return "MPI_UINT64_T";
    case float8_e4m3:
    case float8_e5m2: return "MPI_UINT8_T";
    case float16:
    case bfloat16: return "MPI_UINT16_T";
    case float32: return "MPI_FLOAT";
    case float64: return "MPI_DOUBLE";
    case longdouble: return "MPI_LONG_DOUBLE";
    case complex64: return "MPI_C_FLOAT_COMPLEX";
    case complex128: return "MPI_C_DOUBLE_COMPLEX";
    case complexlong: return "MPI_C_LONG_DOUBLE_COMPLEX";
    case char8: return "MPI_CHAR";
    case wchar: return "MPI_WCHAR";
    case boolean: return "MPI_C_BOOL";
    case packed: return "MPI_PACKED";
    case aint: return "MPI_AINT";
    case offset: return "MPI_OFFSET";
    case count: return "MPI_COUNT";
    case float_int: return "MPI_FLOAT_INT";
    case double_int: return "MPI_DOUBLE_INT";
    case long_int: return "MPI_LONG_INT";
    case two_int: return "MPI_2INT";
    case short_int: return "MPI_SHORT_INT";
    case longdouble_int: return "MPI_LONG_DOUBLE_INT";
    case unknown:
    case byte: break;
  }
  return "MPI_BYTE";
}

std::string_view reduce_name(ReduceOp op) {
  using enum ReduceOp;
  switch (op) {
    case prod: return "MPI_PROD";
    case min: return "MPI_MIN";
    case max: return "MPI_MAX";
    case land: return "MPI_LAND";
    case lor: return "MPI_LOR";
    case lxor: return "MPI_LXOR";
    case band: return "MPI_BAND";
    case bor: return "MPI_BOR";
    case bxor: return "MPI_BXOR";
    case minloc: return "MPI_MINLOC";
    case maxloc: return "MPI_MAXLOC";
    case replace: return "MPI_REPLACE";
    case no_op: return "MPI_NO_OP";
    case user: return "user_operation";
    case unknown:
    case sum:
    case avg: break;
  }
  return "MPI_SUM";
}

std::string function_name(Op op) {
  std::string name(name_of(op));
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += between;
    out += part;
  }
  return out;
}

std::string join(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace petri::c

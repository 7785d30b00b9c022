#include "harness/export/c_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <iterator>

namespace petri::c {
namespace {

// "comm_2_dp0": what of the name C allows in an identifier.
std::string identifier(const char* kind, std::size_t number, const std::string& name) {
  constexpr std::size_t kLongest = 24;
  std::string out = fmt::format("{}_{}_", kind, number);
  for (const char c : name.substr(0, kLongest)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter)
      out += c;
    else if (out.back() != '_')
      out += '_';
  }
  while (out.back() == '_') out.pop_back();
  return out;
}

template <class Plan>
std::size_t number_of(const std::map<std::string, Plan>& plans, const std::string& name) {
  return 1 + static_cast<std::size_t>(std::distance(plans.begin(), plans.find(name)));
}

}  // namespace

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
  return identifier("comm", static_cast<std::size_t>(comm), scenario.comms[static_cast<std::size_t>(comm)].name);
}

std::string window_name(const std::map<std::string, WindowPlan>& windows, const std::string& name) {
  return identifier("win", number_of(windows, name), name);
}

std::string file_name(const std::map<std::string, FilePlan>& files, const std::string& name) {
  return identifier("file", number_of(files, name), name);
}

std::string path_literal(const std::map<std::string, FilePlan>& files, const std::string& name) {
  return fmt::format("\"petri-{}\"", files.at(name).name);
}

std::string mode_name(const std::string& word) {
  std::string name = "MPI_MODE_";
  for (const char c : word) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
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

#include "harness/import/smpi_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "harness/trace/printable.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {
namespace {

using Shape = SmpiShape;

#define PETRI_BOTH_FORMS(name, shape) \
  {#name, Op::name, shape}, {         \
    "i" #name, Op::i##name, shape     \
  }
constexpr SmpiAction kActions[] = {
    {"init", Op::init, Shape::world},
    {"finalize", Op::finalize, Shape::world},
    {"send", Op::send, Shape::message},
    {"ssend", Op::ssend, Shape::message},
    {"bsend", Op::bsend, Shape::message},
    {"recv", Op::recv, Shape::message},
    {"isend", Op::isend, Shape::message},
    {"issend", Op::issend, Shape::message},
    {"ibsend", Op::ibsend, Shape::message},
    {"irecv", Op::irecv, Shape::message},
    {"sendrecv", Op::sendrecv, Shape::both},
    {"wait", Op::wait, Shape::completion},
    {"test", Op::test, Shape::completion},
    {"waitall", Op::waitall, Shape::completions},
    {"waitany", Op::waitany, Shape::completions},
    PETRI_BOTH_FORMS(barrier, Shape::nothing),
    PETRI_BOTH_FORMS(bcast, Shape::bcast),
    PETRI_BOTH_FORMS(reduce, Shape::reduce),
    PETRI_BOTH_FORMS(allreduce, Shape::folded),
    PETRI_BOTH_FORMS(scan, Shape::folded),
    PETRI_BOTH_FORMS(exscan, Shape::folded),
    PETRI_BOTH_FORMS(alltoall, Shape::pairs),
    PETRI_BOTH_FORMS(allgather, Shape::pairs),
    PETRI_BOTH_FORMS(gather, Shape::rooted),
    PETRI_BOTH_FORMS(scatter, Shape::rooted),
    PETRI_BOTH_FORMS(gatherv, Shape::gatherv),
    PETRI_BOTH_FORMS(allgatherv, Shape::allgatherv),
    PETRI_BOTH_FORMS(scatterv, Shape::scatterv),
    PETRI_BOTH_FORMS(alltoallv, Shape::alltoallv),
    {"reducescatter", Op::reduce_scatter, Shape::scattered},
    {"reduce_scatter", Op::reduce_scatter, Shape::scattered},
    {"ireducescatter", Op::ireduce_scatter, Shape::scattered},
    {"location", Op::compute, Shape::location},
    {"compute", Op::compute, Shape::local},
    {"sleep", Op::sleep, Shape::local},
    {"comm_size", Op::compute, Shape::local},
};
#undef PETRI_BOTH_FORMS

constexpr std::size_t kMostArguments = 2 * static_cast<std::size_t>(kMaxWorld) + 16;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

}  // namespace

const SmpiAction* smpi_action_named(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kActions), std::end(kActions), [&](const auto& action) { return action.name == name; });
  return found == std::end(kActions) ? nullptr : found;
}

std::optional<SmpiLine> read_smpi_line(std::string_view text, std::string& problem) {
  problem.clear();
  SmpiLine line;
  std::string_view rank;
  while (!text.empty()) {
    if (is_blank(text.front())) {
      text.remove_prefix(1);
      continue;
    }
    const auto end = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), is_blank) - text.begin());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (rank.empty()) {
      if (word.front() == '#') return std::nullopt;
      rank = word;
    } else if (line.action.empty()) {
      for (const char c : word) line.action += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (line.arguments.size() == kMostArguments) {
      problem = fmt::format("more than {} arguments", kMostArguments);
      return std::nullopt;
    } else {
      line.arguments.push_back(word);
    }
  }
  if (rank.empty()) return std::nullopt;
  const auto [next, error] = std::from_chars(rank.data(), rank.data() + rank.size(), line.rank);
  if (error != std::errc() || next != rank.data() + rank.size() || line.rank < 0 || line.rank >= kMaxWorld) {
    problem =
        fmt::format("must begin with a rank from 0 to {}, got '{}'", kMaxWorld - 1, printable_line(rank.substr(0, 40)));
    return std::nullopt;
  }
  const bool is_name = !line.action.empty() && std::all_of(line.action.begin(), line.action.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!is_name) {
    problem = fmt::format("must have an action behind the rank, got '{}'", printable_line(line.action.substr(0, 40)));
    return std::nullopt;
  }
  return line;
}

std::optional<std::int64_t> smpi_number(std::string_view text) {
  constexpr double kExact = 9007199254740992;
  double value = 0;
  const auto [next, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || next != text.data() + text.size()) return std::nullopt;
  if (!(std::abs(value) < kExact) || value != std::floor(value)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

ElementType smpi_type(std::int64_t number) {
  using Type = ElementType;
  static constexpr std::array kTypes{
      Type::float64,   Type::int32,      Type::char8,          Type::int16,       Type::int64,   Type::float32,
      Type::byte,      Type::int64,      Type::int8,           Type::uint8,       Type::uint16,  Type::uint32,
      Type::uint64,    Type::uint64,     Type::longdouble,     Type::wchar,       Type::boolean, Type::int8,
      Type::int16,     Type::int32,      Type::int64,          Type::uint8,       Type::uint16,  Type::uint32,
      Type::uint64,    Type::complex64,  Type::complex128,     Type::complexlong, Type::aint,    Type::offset,
      Type::float_int, Type::long_int,   Type::double_int,     Type::short_int,   Type::two_int, Type::unknown,
      Type::unknown,   Type::unknown,    Type::float32,        Type::float32,     Type::float64, Type::longdouble,
      Type::complex64, Type::complex128, Type::unknown,        Type::unknown,     Type::int16,   Type::int32,
      Type::int64,     Type::unknown,    Type::longdouble_int, Type::unknown,     Type::unknown, Type::packed,
      Type::unknown,   Type::count};
  return number < 0 || static_cast<std::size_t>(number) >= kTypes.size() ? Type::unknown
                                                                         : kTypes[static_cast<std::size_t>(number)];
}

}  // namespace petri

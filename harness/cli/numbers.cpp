#include "harness/cli/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace petri::cli {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  return number_in<std::uint64_t>(text);
}

std::optional<double> real_number(std::string_view text) {
  const std::optional<double> number = number_in<double>(text);
  if (!number || !std::isfinite(*number) || std::signbit(*number)) return std::nullopt;
  return number;
}

std::uint64_t bounded(std::string_view name, const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::optional<std::uint64_t> number = whole_number(text);
  if (number && *number >= least && *number <= most) return *number;
  throw UsageError{fmt::format("--{} needs a whole number from {} to {}, not '{}'", name, least, most, text)};
}

double bounded_seconds(std::string_view name, const std::string& text, bool or_zero) {
  const std::optional<double> number = real_number(text);
  if (number && (*number > 0 || or_zero) && *number <= kLongest_s) return *number;
  throw UsageError{fmt::format("--{} needs a number of seconds, {} 0 and at most {:.0f}, not '{}'", name,
                               or_zero ? "at least" : "above", kLongest_s, text)};
}

}  // namespace petri::cli

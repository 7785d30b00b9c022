// Numbers on the command line: read in one way by all subcommands, with one kind of message.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "harness/cli/options.hpp"

namespace petri::cli {

inline constexpr int kMostJobs = 1024;
inline constexpr double kLongest_s = 1e8;  // three years: what sums and clocks hold without loss

// The whole text as a number without a sign; nothing for anything else, "inf" and "nan" included.
std::optional<std::uint64_t> whole_number(std::string_view text);
std::optional<double> real_number(std::string_view text);

// What `--name text` gives. Throws UsageError, which says what is wanted, for what is no number or out of bounds.
std::uint64_t bounded(std::string_view name, const std::string& text, std::uint64_t least, std::uint64_t most);
double bounded_seconds(std::string_view name, const std::string& text, bool or_zero);

using NumberOption = po::typed_value<std::string>;

// The option --NAME N, a whole number that goes to `to`.
template <class Number>
NumberOption* number(const char* name, Number* to, Number least, Number most = std::numeric_limits<Number>::max()) {
  return po::value<std::string>()->value_name("N")->notifier([=](const std::string& text) {
    *to = static_cast<Number>(bounded(name, text, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)));
  });
}

// The option --NAME S of seconds: more than 0, or also 0 where that means something.
enum class Zero : std::uint8_t { refused, allowed };
template <class Seconds>  // double, or an optional one
NumberOption* seconds(const char* name, Seconds* to, Zero zero = Zero::refused) {
  return po::value<std::string>()->value_name("S")->notifier(
      [=](const std::string& text) { *to = bounded_seconds(name, text, zero == Zero::allowed); });
}

}  // namespace petri::cli

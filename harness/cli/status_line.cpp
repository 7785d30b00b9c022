#include "harness/cli/status_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "harness/cli/terminal.hpp"
#include "harness/trace/printable.hpp"

namespace petri::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTerminalInterval{100};
constexpr milliseconds kPlainInterval{5000};
constexpr int kShare = 10;

}  // namespace

StatusLine::StatusLine(Plain plain)
    : plain_(plain), terminal_(rewrites_lines(STDERR_FILENO)), begun_(Clock::now()), next_(begun_ + interval()) {}

StatusLine::Clock::duration StatusLine::interval() const {
  if (terminal_) return kTerminalInterval;
  if (plain_ == Plain::every_few_seconds) return kPlainInterval;
  return std::max<Clock::duration>(kPlainInterval, (Clock::now() - begun_) / kShare);
}

void StatusLine::show(std::string_view line) {
  next_ = Clock::now() + interval();
  shown_ = true;
  if (terminal_) {
    // A line that is broken in two cannot be written anew.
    fmt::print(stderr, "\r\x1b[K{}", printable_line(line.substr(0, width_of(STDERR_FILENO) - 1)));
    std::fflush(stderr);
  } else {
    say(stderr, "{}\n", line);
  }
}

void StatusLine::finish() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

std::string duration_text(double seconds) {
  static constexpr std::array<std::pair<double, std::string_view>, 5> kUnits{
      {{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}}};
  for (const auto& [unit, name] : kUnits)
    if (seconds >= 2 * unit || unit == 1)
      return fmt::format("{:.{}f} {}", seconds / unit, seconds < 10 * unit && unit > 60 ? 1 : 0, name);
  return {};
}

}  // namespace petri::cli

#include "harness/import/nccl_log_line.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

namespace petri {
namespace {

constexpr std::string_view kInfo = "NCCL INFO ", kWarning = "NCCL WARN ";
constexpr std::size_t kLongestPlace = 512;  // of a file, its line and a function's name

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_host(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
}

// Reads a text from its end to its beginning.
class Backwards {
 public:
  explicit Backwards(std::string_view text) : text_(text) {}

  bool skip(char c) {
    if (text_.empty() || text_.back() != c) return false;
    text_.remove_suffix(1);
    return true;
  }

  template <class Belongs>
  std::string_view take(const Belongs& belongs) {
    std::size_t begin = text_.size();
    while (begin > 0 && belongs(text_[begin - 1])) --begin;
    const std::string_view taken = text_.substr(begin);
    text_.remove_suffix(taken.size());
    return taken;
  }

  std::optional<std::int32_t> number() {
    const std::string_view digits = take(is_digit);
    std::int32_t value = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || read.ec != std::errc()) return std::nullopt;
    return value;
  }

  std::string_view rest() const { return text_; }

 private:
  std::string_view text_;
};

// "[2026-02-11 16:02:37.25] " at the end of a text: NCCL's default "[%F %T] ", or with a fraction.
double time_at_end(std::string_view text) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr std::size_t kSeconds = sizeof("2026-02-11 16:02:37") - 1, kLongest = 40;
  if (!text.ends_with("] ")) return kNone;
  text.remove_suffix(2);
  if (text.size() > kLongest) text.remove_prefix(text.size() - kLongest);
  const std::size_t open = text.rfind('[');
  if (open == std::string_view::npos) return kNone;
  text.remove_prefix(open + 1);
  if (text.size() < kSeconds) return kNone;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = -1;
    const auto read = std::from_chars(text.data() + at, text.data() + at + digits, value);
    return read.ec == std::errc() && read.ptr == text.data() + at + digits ? value : -1;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (year < 0 || month < 0 || day < 0 || hour < 0 || minute < 0 || second < 0 || !date.ok()) return kNone;
  double fraction = 0, weight = 0.1;
  for (std::size_t i = kSeconds + 1; i < text.size() && is_digit(text[i]); ++i, weight /= 10)
    fraction += weight * (text[i] - '0');
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400 + hour * 3600 + minute * 60 + second + fraction;
}

// What stands before "NCCL INFO": host, process and device. Returns where the origin begins.
std::optional<std::size_t> read_origin(std::string_view before, LogMessage& message) {
  Backwards text(before);
  const auto is_space = [](char c) { return c == ' '; };
  text.take(is_space);
  if (!text.rest().empty() && is_digit(text.rest().back())) {  // early RCCL's microseconds
    text.take(is_digit);
    text.take(is_space);
  }
  if (!text.skip(']')) return std::nullopt;
  const auto device = text.number();
  const bool none = text.skip('-');  // no current device
  if (!device || !text.skip('[') || text.take(is_space).empty()) return std::nullopt;
  if (!text.number() || !text.skip(':')) return std::nullopt;
  const auto pid = text.number();
  if (!pid || !text.skip(':')) return std::nullopt;
  message.host = text.take(is_of_host);
  if (message.host.empty()) return std::nullopt;
  message.pid = *pid;
  message.device = none ? -1 : *device;
  message.time = time_at_end(text.rest());
  return text.rest().size();
}

// A warning's origin and the place in NCCL's sources behind it.
std::optional<std::size_t> read_warning_origin(std::string_view before, LogMessage& message) {
  const std::string_view near = before.substr(before.size() - std::min(before.size(), kLongestPlace));
  for (std::size_t end = near.rfind("] "); end != std::string_view::npos;
       end = end > 0 ? near.rfind("] ", end - 1) : end) {
    const std::size_t at = before.size() - near.size() + end + 1;
    if (const auto begin = read_origin(before.substr(0, at), message)) {
      message.place = before.substr(at + 1);
      message.place = message.place.substr(0, message.place.find_first_of(" ("));
      return begin;
    }
    if (end == 0) break;
  }
  return std::nullopt;
}

struct Marker {
  std::size_t at = std::string_view::npos;
  bool warns = false;
};

Marker next_marker(std::string_view line, std::size_t from) {
  constexpr std::string_view kBoth = "NCCL ";
  for (std::size_t at = line.find(kBoth, from); at != std::string_view::npos; at = line.find(kBoth, at + 1)) {
    if (line.substr(at, kInfo.size()) == kInfo) return {at, false};
    if (line.substr(at, kWarning.size()) == kWarning) return {at, true};
  }
  return {};
}

}  // namespace

std::optional<LogMessage> LogLine::next() {
  for (;;) {
    const Marker marker = next_marker(line_, at_);
    if (marker.at == std::string_view::npos) return std::nullopt;
    LogMessage message;
    message.is_warning = marker.warns;
    const std::string_view before = line_.substr(at_, marker.at - at_);
    const auto begin = marker.warns ? read_warning_origin(before, message) : read_origin(before, message);
    at_ = marker.at + kInfo.size();
    if (!begin) continue;
    std::size_t end = line_.size();
    if (const Marker other = next_marker(line_, at_); other.at != std::string_view::npos) {
      LogMessage following;
      const std::string_view between = line_.substr(at_, other.at - at_);
      const auto cut = other.warns ? read_warning_origin(between, following) : read_origin(between, following);
      if (cut) end = at_ + *cut;
    }
    message.text = line_.substr(at_, end - at_);
    while (!message.text.empty() && (message.text.back() == '\r' || message.text.back() == ' '))
      message.text.remove_suffix(1);
    return message;
  }
}

std::string_view without_escapes(std::string_view line, std::string& room) {
  constexpr char kEscape = '\x1b';
  if (line.find(kEscape) == std::string_view::npos) return line;
  room.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != kEscape) {
      room += line[i];
      continue;
    }
    if (i + 1 >= line.size() || line[i + 1] != '[') {
      ++i;  // an escape of two bytes
      continue;
    }
    for (i += 2; i < line.size() && !(line[i] >= '@' && line[i] <= '~');) ++i;
  }
  return room;
}

}  // namespace petri

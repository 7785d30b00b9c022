#include "harness/report/check_case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace petri {
namespace {

std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  const std::size_t end = text.rfind('\n', most);
  // Without a line's end, cut between characters of UTF-8.
  std::size_t cut = end == std::string::npos ? most : end;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U) --cut;
  return text.substr(0, cut) + "\n[…]";
}

std::string text_of(const SourceLine& place) {
  return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

}  // namespace

std::string_view name_of(CheckState state) {
  switch (state) {
    case CheckState::met: return "met";
    case CheckState::missed: return "missed";
    case CheckState::inconclusive: return "inconclusive";
    case CheckState::unreadable: return "unreadable";
    case CheckState::skipped: break;
  }
  return "skipped";
}

bool is_fine(CheckState state) {
  return state == CheckState::met || state == CheckState::skipped;
}

std::string name_of(const CheckCase& check) {
  return fmt::format("{} ({})", check.reproducer.file, check.mode);
}

SourceLine place_of(const CheckCase& check) {
  SourceLine place = check.source.value_or(check.reproducer);
  place.line = std::max<std::size_t>(place.line, 1);
  return place;
}

std::string explain(const CheckCase& check, std::size_t most_detail) {
  std::string text = check.text + '\n';
  if (!check.detail.empty()) {
    text += '\n' + shortened(check.detail, most_detail);
    if (text.back() != '\n') text += '\n';
    text += '\n';
  }
  if (check.source) text += fmt::format("source: {}\n", text_of(*check.source));
  text += fmt::format("reproducer: {}\n", text_of(check.reproducer));
  if (!check.again.empty()) text += fmt::format("again: {}\n", check.again);
  return text;
}

std::size_t count(const std::vector<CheckCase>& checks, CheckState state) {
  return static_cast<std::size_t>(
      std::count_if(checks.begin(), checks.end(), [&](const CheckCase& check) { return check.state == state; }));
}

}  // namespace petri

#include "harness/report/tap.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/trace/printable.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostDetail = 64 * 1024;

// In a description a hash would begin a directive; TAP 14, section "Escaping".
std::string description_of(const std::string& text) {
  std::string made;
  for (const char c : printable_line(text)) {
    if (c == '#' || c == '\\') made += '\\';
    made += c;
  }
  return made;
}

// A string of YAML in double quotes, on one line. JSON's escapes for it are YAML's.
std::string quoted(const std::string& text) {
  return nlohmann::json(printable(text)).dump();
}

std::string diagnostics(const CheckCase& check) {
  const SourceLine place = place_of(check);
  std::string text = fmt::format("  ---\n  message: {}\n  severity: {}\n", quoted(check.text),
                                 check.state == CheckState::missed ? "fail" : "error");
  if (!check.expected.empty()) text += fmt::format("  wanted: {}\n", quoted(check.expected));
  if (!check.actual.empty()) text += fmt::format("  found: {}\n", quoted(check.actual));
  text += fmt::format("  file: {}\n  line: {}\n  story: {}\n  ...\n", quoted(place.file), place.line,
                      quoted(explain(check, kMostDetail)));
  return text;
}

}  // namespace

std::string render_tap(const std::vector<CheckCase>& checks) {
  std::string text = fmt::format("TAP version 13\n1..{}{}\n", checks.size(),
                                 checks.empty() ? " # SKIP no reproducer was selected" : "");
  std::size_t number = 0;
  for (const CheckCase& check : checks) {
    text += fmt::format("{} {} - {}", is_fine(check.state) ? "ok" : "not ok", ++number, description_of(name_of(check)));
    if (check.state == CheckState::skipped) text += " # SKIP " + printable_line(check.text);
    text += '\n';
    if (!is_fine(check.state)) text += diagnostics(check);
  }
  return text;
}

}  // namespace petri

#include "harness/report/github.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/trace/counted.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

constexpr std::size_t kMostAnnotation = 4 * 1024;
constexpr std::size_t kMostStory = 16 * 1024;
constexpr std::size_t kMostStories = 512 * 1024;  // GitHub takes 1 MiB for a step, and nothing of what is longer

constexpr CheckState kWorstFirst[] = {CheckState::missed, CheckState::unreadable, CheckState::inconclusive,
                                      CheckState::skipped};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// The percent sign goes first: it begins the escapes of the others.
std::string data_of(std::string text) {
  text = printable(text);
  replace_all(text, "%", "%25");
  replace_all(text, "\r", "%0D");
  replace_all(text, "\n", "%0A");
  return text;
}

std::string property_of(std::string text) {
  text = data_of(std::move(text));
  replace_all(text, ":", "%3A");
  replace_all(text, ",", "%2C");
  return text;
}

std::string annotation(const CheckCase& check) {
  const SourceLine place = place_of(check);
  const char* const level = check.state == CheckState::inconclusive ? "warning" : "error";
  std::string story = explain(check, kMostAnnotation);
  story.pop_back();
  return fmt::format("::{} file={},line={},title={}::{}\n", level, property_of(place.file), place.line,
                     property_of(fmt::format("{}: {}", name_of(check.state), name_of(check))), data_of(story));
}

// Text that is text in Markdown and in HTML: a character reference never begins any structure (CommonMark, section
// "Entity and numeric character references").
std::string escaped(const std::string& text) {
  std::string made;
  for (const char c : printable(text)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x80U || std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view(" \t\n/.,-()='").find(c) != std::string_view::npos;
    if (plain)
      made += c;
    else
      made += fmt::format("&#{};", static_cast<int>(c));
  }
  return made;
}

std::string escaped_line(const std::string& text) {
  return escaped(printable_line(text));
}

template <class Each>
void for_worst_first(const std::vector<CheckCase>& checks, const Each& each) {
  for (const CheckState state : kWorstFirst)
    for (const CheckCase& check : checks)
      if (check.state == state) each(check);
}

std::string stories(const std::vector<CheckCase>& checks) {
  std::string text;
  std::size_t left_out = 0;
  for_worst_first(checks, [&](const CheckCase& check) {
    if (is_fine(check.state)) return;
    const std::string story = fmt::format("<details><summary>{}</summary>\n\n<pre>{}</pre>\n</details>\n\n",
                                          escaped_line(name_of(check)), escaped(explain(check, kMostStory)));
    if (text.size() + story.size() > kMostStories)
      ++left_out;
    else
      text += story;
  });
  if (left_out > 0) text += fmt::format("{} more {} told in the log.\n", left_out, left_out == 1 ? "is" : "are");
  return text;
}

std::string table(const std::vector<CheckCase>& checks) {
  std::string text;
  std::size_t left_out = 0;
  for_worst_first(checks, [&](const CheckCase& check) {
    const std::string row = fmt::format("| {} | {} | {} | {} |\n", name_of(check.state),
                                        escaped_line(check.reproducer.file), check.mode, escaped_line(check.text));
    if (text.size() + row.size() > kMostStories / 2)
      ++left_out;
    else
      text += row;
  });
  if (!text.empty()) text = "| | reproducer | how | what came of it |\n|---|---|---|---|\n" + text + '\n';
  if (left_out > 0) text += fmt::format("{} more {} left out.\n\n", left_out, left_out == 1 ? "row is" : "rows are");
  return text;
}

}  // namespace

std::string render_github_annotations(const std::vector<CheckCase>& checks) {
  std::string text;
  for_worst_first(checks, [&](const CheckCase& check) {
    if (!is_fine(check.state)) text += annotation(check);
  });
  return text;
}

std::string render_github_summary(const std::vector<CheckCase>& checks) {
  const bool fine =
      std::all_of(checks.begin(), checks.end(), [](const CheckCase& check) { return is_fine(check.state); });
  std::string text = fmt::format("### petri check: {}\n\n", fine ? "no expectation missed" : "reproducers need a look");
  text += fmt::format("{}: {} met", counted(checks.size(), "check"), count(checks, CheckState::met));
  for (const CheckState state : kWorstFirst) text += fmt::format(", {} {}", count(checks, state), name_of(state));
  return text + "\n\n" + table(checks) + stories(checks);
}

}  // namespace petri

#include "harness/report/text.hpp"

namespace petri {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Length of the well-formed UTF-8 sequence at the start of `text`, or 0 (Unicode 15, table 3-7).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned least = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned most = first == 0xed ? 0x9f : 0xbf;
    return byte(1) >= least && byte(1) <= most && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned least = first == 0xf0 ? 0x90 : 0x80;
    const unsigned most = first == 0xf4 ? 0x8f : 0xbf;
    return byte(1) >= least && byte(1) <= most && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// C0 and C1 controls, and the code points U+FFFE and U+FFFF that XML cannot carry.
bool is_unwanted(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  if (character.size() == 2) return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    out += length == 0 || is_unwanted(character) ? kReplacement : character;
    text.remove_prefix(character.size());
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string out = printable(text);
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  return out;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (const char c : text) columns += (static_cast<unsigned char>(c) & 0xc0U) != 0x80U ? 1 : 0;
  return columns;
}

const Event* event_of(const Scenario& scenario, EventRef ref) {
  const auto& events = scenario.ranks.at(static_cast<std::size_t>(ref.rank)).events;
  return ref.index < events.size() ? &events[ref.index] : nullptr;
}

}  // namespace petri

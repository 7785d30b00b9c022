#include "harness/trace/printable.hpp"

#include <algorithm>

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

// C0 and C1 controls; what reorders the text around it, so that it reads otherwise than it is (Unicode's UAX 9: U+061C,
// U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069); line and paragraph separators; and the code points U+FFFE and
// U+FFFF that XML cannot carry.
bool is_unwanted(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7f;
  if (character.size() == 2)
    return (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0) || character == "\xd8\x9c";
  if (character.size() == 3 && character.starts_with("\xe2\x80")) {
    const auto last = static_cast<unsigned char>(character[2]);
    return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  }
  if (character.size() == 3 && character.starts_with("\xe2\x81")) {
    const auto last = static_cast<unsigned char>(character[2]);
    return last >= 0xa6 && last <= 0xa9;
  }
  return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

// Of a well-formed sequence of at most three bytes.
unsigned code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(character[i])); };
  if (character.size() == 1) return byte(0);
  if (character.size() == 2) return (byte(0) & 0x1fU) << 6U | (byte(1) & 0x3fU);
  return (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
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

std::string printable_json(std::string_view json) {
  std::string out;
  while (!json.empty()) {
    const std::size_t length = std::max<std::size_t>(1, sequence_length(json));
    const std::string_view character = json.substr(0, length);
    json.remove_prefix(length);
    if (is_unwanted(character)) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const unsigned code = code_point(character);
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> static_cast<unsigned>(shift) & 0xfU];
    } else {
      out += character;
    }
  }
  return out;
}

}  // namespace petri

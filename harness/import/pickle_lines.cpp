// Opcodes of protocol 0, whose operands are lines of text: Python 2's default, and `protocol=0` of today's.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "harness/import/pickle.hpp"
#include "harness/import/pickle_opcodes.hpp"

namespace petri {

using namespace pickle_opcode;

namespace {

void append_utf8(std::string& text, std::uint32_t point) {
  const auto byte = [&](std::uint32_t bits) { text += static_cast<char>(bits); };
  if (point < 0x80) return byte(point);
  if (point < 0x800) {
    byte(0xc0 | point >> 6);
  } else {
    if (point < 0x10000) {
      byte(0xe0 | point >> 12);
    } else {
      byte(0xf0 | (point >> 18 & 7));
      byte(0x80 | (point >> 12 & 63));
    }
    byte(0x80 | (point >> 6 & 63));
  }
  byte(0x80 | (point & 63));
}

bool is_plain(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return c == '\\' || static_cast<std::uint8_t>(c) >= 0x80; });
}

// The code behind "\x", "\u" or "\U" at the beginning of `rest`, which loses it; nothing where there is none.
bool take_code(std::string_view& rest, std::uint32_t& code) {
  if (rest.size() < 2 || rest[0] != '\\') return false;
  const std::size_t digits = rest[1] == 'x' ? 2 : rest[1] == 'u' ? 4 : rest[1] == 'U' ? 8 : 0;
  if (digits == 0 || rest.size() < 2 + digits) return false;
  const char* const first = rest.data() + 2;
  const auto [end, error] = std::from_chars(first, first + digits, code, 16);
  if (error != std::errc() || end != first + digits) return false;
  rest.remove_prefix(2 + digits);
  return true;
}

// Of UNICODE: Latin-1, in which other characters are written as \uXXXX or \UXXXXXXXX.
std::string unescaped_unicode(std::string_view rest) {
  std::string text;
  while (!rest.empty()) {
    std::uint32_t code = 0;
    if (rest.size() > 1 && rest[1] != 'x' && take_code(rest, code)) {
      append_utf8(text, code);
    } else {
      append_utf8(text, static_cast<std::uint8_t>(rest.front()));
      rest.remove_prefix(1);
    }
  }
  return text;
}

// Of STRING, without its quotes: as Python 2's repr writes it.
std::string unescaped_string(std::string_view rest) {
  std::string text;
  while (!rest.empty()) {
    std::uint32_t code = 0;
    if (rest.size() > 1 && rest[1] == 'x' && take_code(rest, code)) {
      text += static_cast<char>(code);
      continue;
    }
    if (rest.size() > 1 && rest[0] == '\\') {
      const char escaped = rest[1];
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
      rest.remove_prefix(2);
      continue;
    }
    text += rest.front();
    rest.remove_prefix(1);
  }
  return text;
}

}  // namespace

std::string_view Pickle::line() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::size_t size = rest.find('\n');
  if (size == std::string_view::npos) throw Cut();
  at_ += size + 1;
  return rest.substr(0, size);
}

void Pickle::push_owned(std::string text) {
  push_text(owned_.emplace_back(std::move(text)));
}

void Pickle::push_decimal(std::string_view digits) {
  if (!digits.empty() && digits.back() == 'L') digits.remove_suffix(1);
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number);
  if (stopped != end || error == std::errc::invalid_argument) fail("an integer was expected");
  const bool fits = error == std::errc();
  stack_.push({fits ? PickleKind::whole : PickleKind::wide, 0, 0, fits ? number : 0});
}

void Pickle::of_text_protocol(std::uint8_t opcode) {
  const auto slot = [&] {
    const std::string_view digits = line();
    std::uint64_t number = std::numeric_limits<std::uint64_t>::max();
    const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || stopped != digits.data() + digits.size()) fail("a memo's number was expected");
    return number;
  };
  switch (opcode) {
    case kInt: {
      const std::string_view digits = line();
      if (digits == "00" || digits == "01")
        stack_.push({PickleKind::boolean, 0, 0, digits == "01"});
      else
        push_decimal(digits);
      break;
    }
    case kLong: push_decimal(line()); break;
    case kFloat: {
      const std::string_view digits = line();
      double number = 0;
      const auto [stopped, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error == std::errc::invalid_argument || stopped != digits.data() + digits.size())
        fail("a number was expected");
      stack_.push({PickleKind::real, 0, 0, std::bit_cast<std::int64_t>(number)});
      break;
    }
    case kUnicode: {
      const std::string_view text = line();
      is_plain(text) ? push_text(text) : push_owned(unescaped_unicode(text));
      break;
    }
    case kString: {
      std::string_view text = line();
      if (text.size() < 2 || text.front() != text.back() || (text.front() != '\'' && text.front() != '"'))
        fail("a text in quotes was expected");
      text = text.substr(1, text.size() - 2);
      is_plain(text) ? push_text(text) : push_owned(unescaped_string(text));
      break;
    }
    case kGet: get(slot()); break;
    case kPut: put(slot()); break;
    case kList: push_container(PickleKind::list, mark()); break;
    case kDict: {
      const std::size_t from = mark();
      if ((stack_.size() - from) % 2 != 0) fail("a key without a value");
      push_container(PickleKind::dict, from);
      break;
    }
    default: refuse(opcode);
  }
}

}  // namespace petri

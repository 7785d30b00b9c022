#include "harness/trace/json_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/trace/line_source.hpp"
#include "harness/trace/nearest.hpp"

namespace petri {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 64;       // nesting of a line; its own keys need three levels
constexpr std::size_t kLongestQuote = 40;  // bytes of the input that a message repeats

// Input in a message: cut short at a character's border. The error makes it printable.
std::string quoted(std::string_view text) {
  std::string out;
  bool whole = true;
  for (const char c : text) {
    const bool starts_character = (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    if (out.size() >= kLongestQuote && starts_character) {
      whole = false;
      break;
    }
    out += c;
  }
  return whole ? out : out + "…";
}

// Listens to a parser for errors only.
class SyntaxListener : public nlohmann::json_sax<json> {
 public:
  std::optional<SyntaxError> error;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&, const json::exception& problem) override {
    error = SyntaxError{position > 0 ? position - 1 : 0, plain(problem.what())};
    return false;
  }

 private:
  // "[json.exception…] parse error at line 1, column 9: syntax error while parsing value - invalid literal; last read:
  // '…'; expected …" without its heads, and without the text read, which may be anything.
  static std::string plain(std::string_view what) {
    if (const auto head = what.find(": "); head != std::string_view::npos) what.remove_prefix(head + 2);
    if (const auto head = what.find(" - "); head != std::string_view::npos) what.remove_prefix(head + 3);
    const auto read = what.find("; last read: ");
    if (read == std::string_view::npos) return "broken JSON: " + std::string(what);
    const auto expected = what.rfind("; expected ");
    std::string out = "broken JSON: " + std::string(what.substr(0, read));
    if (expected != std::string_view::npos && expected > read) out += what.substr(expected);
    return out;
  }
};

// Where brackets outside of texts nest deeper than kDeepest.
std::optional<std::size_t> too_deep(std::string_view text) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return i;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

std::string whole_wording(std::int64_t least, std::int64_t most, bool too_large) {
  const bool bounded = most < std::numeric_limits<std::int32_t>::max();
  if (!bounded && !too_large) return fmt::format("a whole number ≥ {}", least);
  return fmt::format("a whole number from {} to {}", least, most);
}

// Most numbers are short and plain: those are read in less time than the parser takes. -1 for any other.
std::int64_t plain_number(std::string_view token) {
  constexpr std::size_t kLongest = 18;
  if (token.empty() || token.size() > kLongest || (token.front() == '0' && token.size() > 1)) return -1;
  std::int64_t number = 0;
  for (const char digit : token) {
    if (digit < '0' || digit > '9') return -1;
    number = 10 * number + (digit - '0');
  }
  return number;
}

// The same for a list of such numbers at the beginning of `text`, without spaces as Petri writes it. False for any
// other.
bool plain_numbers(std::string_view text, std::int64_t most, std::vector<std::int64_t>& numbers) {
  do {
    text.remove_prefix(1);  // a bracket or a comma
    const std::string_view token = text.substr(0, std::min(text.find_first_of(",]"), text.size()));
    const std::int64_t number = plain_number(token);
    if (number < 0 || number > most) return false;
    numbers.push_back(number);
    text.remove_prefix(token.size());
  } while (text.starts_with(','));
  return text.starts_with(']');
}

}  // namespace

std::optional<SyntaxError> syntax_error_of(std::string_view text) {
  if (const auto deep = too_deep(text))
    return SyntaxError{*deep, fmt::format("nested deeper than {} levels", kDeepest)};
  SyntaxListener listener;
  json::sax_parse(text.begin(), text.end(), &listener);
  return listener.error;
}

JsonValue::JsonValue(JsonLine& line, std::string_view key, simdjson::ondemand::value value)
    : line_(&line), key_(key), token_(value.raw_json_token()), value_(value) {
  // A token ends with no other byte up to the space than with JSON's white space.
  while (!token_.empty() && static_cast<unsigned char>(token_.back()) <= ' ') token_.remove_suffix(1);
}

void JsonValue::reject(const std::string& expected) const {
  std::string got = "nothing";
  if (token_.starts_with('{'))
    got = "an object";
  else if (token_.starts_with('['))
    got = "an array";
  else if (!token_.empty())
    got = quoted(token_);
  line_->fail(at(), fmt::format("\"{}\" must be {}, got {}", quoted(key_), expected, got));
}

std::int64_t JsonValue::whole(std::int64_t least, std::int64_t most) {
  std::int64_t number = plain_number(token_);
  const bool parsed = number >= 0 || value_.get_int64().get(number) == simdjson::SUCCESS;
  if (!parsed || number < least || number > most) reject(whole_wording(least, most, parsed && number > most));
  return number;
}

std::int32_t JsonValue::small(std::int32_t least, std::int32_t most) {
  return static_cast<std::int32_t>(whole(least, most));
}

std::int32_t JsonValue::small_or(Words words, std::int32_t least) {
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  std::string_view text;
  std::int64_t number = 0;
  if (!is_text()) {
    if (value_.get_int64().get(number) == simdjson::SUCCESS && number >= least && number <= kMost)
      return static_cast<std::int32_t>(number);
  } else if (value_.get_string().get(text) == simdjson::SUCCESS) {
    for (const auto& [word, meaning] : words)
      if (text == word) return meaning;
  }
  std::string expected = whole_wording(least, kMost, false);
  for (const auto& word : words) expected += fmt::format(" or \"{}\"", word.first);
  reject(expected);
}

std::uint64_t JsonValue::natural() {
  std::uint64_t number = 0;
  if (value_.get_uint64().get(number) != simdjson::SUCCESS) reject("a whole number ≥ 0");
  return number;
}

std::vector<std::int64_t> JsonValue::wholes(std::int64_t most) {
  constexpr std::size_t kUsual = 16;
  std::vector<std::int64_t> numbers;
  numbers.reserve(kUsual);
  const std::string_view text = line_->text();
  const auto place = static_cast<std::size_t>(at() - text.data());
  if (token_.starts_with('[') && plain_numbers(text.substr(place), most, numbers)) return numbers;
  numbers.clear();
  each_element([&](JsonValue number) { numbers.push_back(number.whole(0, most)); });
  return numbers;
}

double JsonValue::number() {
  static constexpr std::pair<std::string_view, double> kWords[] = {
      {"nan", std::numeric_limits<double>::quiet_NaN()},
      {"inf", std::numeric_limits<double>::infinity()},
      {"-inf", -std::numeric_limits<double>::infinity()},
      {"-0", -0.0},
  };
  const char* const expected = R"(a number, "nan", "inf", "-inf" or "-0")";
  if (is_text()) {
    const std::string_view word = text();
    for (const auto& [name, number] : kWords)
      if (word == name) return number;
    reject(expected);
  }
  double number = 0;
  if (value_.get_double().get(number) != simdjson::SUCCESS || !std::isfinite(number)) reject(expected);
  return number;
}

bool JsonValue::truth() {
  bool value = false;
  if (value_.get_bool().get(value) != simdjson::SUCCESS) reject("true or false");
  return value;
}

std::string_view JsonValue::text() {
  std::string_view text;
  if (!is_text()) reject("text");
  if (const auto error = value_.get_string().get(text)) line_->fail_broken(error);
  return text;
}

std::string JsonValue::scalar_text() {
  if (is_text()) return std::string(text());
  if (token_.starts_with('{') || token_.starts_with('[') || token_ == "null") reject("text, a number, true or false");
  return raw();
}

std::string JsonValue::raw() {
  std::string_view json;
  if (const auto error = simdjson::to_json_string(value_).get(json)) line_->fail_broken(error);
  while (!json.empty() && std::string_view(" \t\r\n").find(json.back()) != std::string_view::npos)
    json.remove_suffix(1);
  if (const auto problem = syntax_error_of(json)) line_->fail(json.data() + problem->offset, problem->reason);
  return std::string(json);
}

simdjson::ondemand::object JsonValue::object() {
  simdjson::ondemand::object object;
  if (value_.get_object().get(object) != simdjson::SUCCESS) reject("an object");
  return object;
}

void JsonLine::load(std::string_view text, std::size_t number) {
  take(text, number);
  for (auto field : restart()) {
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) fail_broken(error);
    if (const auto key = key_named(name)) present_.set(static_cast<std::size_t>(*key));
  }
  check_end();
}

void JsonLine::take(std::string_view text, std::size_t number) {
  copy_.assign(text);
  copy_.append(kRoomBehind, '\0');
  look_at(std::string_view(copy_).substr(0, text.size()), number);
}

void JsonLine::look_at(std::string_view text, std::size_t number) {
  static_assert(kRoomBehind >= simdjson::SIMDJSON_PADDING);
  stand_at(text, number);
  present_.reset();
  if (const auto error = parser_.iterate(text.data(), text.size(), text.size() + kRoomBehind).get(document_))
    fail_broken(error);
}

void JsonLine::check_end() {
  // Past the object there must be nothing: the parser has run out of bounds.
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS) fail_broken(simdjson::TAPE_ERROR);
}

simdjson::ondemand::object JsonLine::restart() {
  document_.rewind();
  simdjson::ondemand::object object;
  if (const auto error = document_.get_object().get(object)) fail_broken(error);
  return object;
}

void JsonLine::fail_broken(simdjson::error_code error) const {
  if (const auto problem = syntax_error_of(text())) fail(start() + problem->offset, problem->reason);
  const auto first = text().find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text()[first] != '{') fail(start() + first, "expected a JSON object");
  fail_at_start(fmt::format("cannot be parsed: {}", simdjson::error_message(error)));
}

void JsonLine::fail_unknown_key(const char* at, std::string_view key, KeyPlace place) const {
  const auto known = keys_of(place);
  const auto meant = nearest(key, known);
  std::string hint;
  if (meant)
    hint = fmt::format("; did you mean \"{}\"?", *meant);
  else if (key_named(key))
    hint = " here";
  fail(at, fmt::format("expected a known key, got \"{}\"{}", quoted(key), hint));
}

void JsonLine::fail_repeated_key(const char* at, std::string_view key) const {
  fail(at, fmt::format("expected each key once, got \"{}\" again", quoted(key)));
}

}  // namespace petri

// One JSON line under the reader's eye: typed access to its values. A small file of one object over several lines is
// read in the same way. Internal to harness/trace.
#pragma once

#include <simdjson.h>

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/trace/keys.hpp"
#include "harness/trace/line_text.hpp"

namespace petri {

using FreeKeys = std::vector<std::pair<std::string, std::string>>;

class JsonLine;

// A value and the key that messages call it by. It can be read once; text it returns lives as long as the line.
class JsonValue {
 public:
  JsonValue(JsonLine& line, std::string_view key, simdjson::ondemand::value value);

  // Words that stand for a number, e.g. {"any", kAny}.
  using Words = std::initializer_list<std::pair<std::string_view, std::int32_t>>;

  std::int64_t whole(std::int64_t least = 0, std::int64_t most = std::numeric_limits<std::int64_t>::max());
  std::int32_t small(std::int32_t least = 0, std::int32_t most = std::numeric_limits<std::int32_t>::max());
  std::int32_t small_or(Words words, std::int32_t least = 0);
  std::uint64_t natural();
  double number();  // also "nan", "inf", "-inf" and "-0"
  bool truth();
  std::string_view text();
  std::string scalar_text();                            // text, or the written form of a number or truth value
  std::string raw();                                    // any JSON, as written, checked
  std::vector<std::int64_t> wholes(std::int64_t most);  // a list of whole numbers ≥ 0
  template <class Visit>
  void each_element(Visit&& visit);  // visit(JsonValue)
  simdjson::ondemand::object object();

  bool is_text() const { return token_.starts_with('"'); }
  const char* at() const { return token_.data(); }
  std::string_view key() const { return key_; }
  JsonLine& line() const { return *line_; }
  // Throws: "KEY" must be EXPECTED, got VALUE.
  [[noreturn]] void reject(const std::string& expected) const;

 private:
  JsonLine* line_;
  std::string_view key_;
  std::string_view token_;  // the value's first token, for its place and for messages
  simdjson::ondemand::value value_;
};

class JsonLine : public LineText {
 public:
  using LineText::LineText;

  // Takes the text of line `number`, or text that begins there; throws InputError where it is not one JSON object.
  void load(std::string_view text, std::size_t number);
  // The same without a look at the object, in half the time: `fields` then finds what is wrong with it, but may name
  // another place first than `load` would, and `has` knows nothing.
  void take(std::string_view text, std::size_t number);
  // The same for text that stays where it is and has kRoomBehind bytes of any kind behind it: no copy is made of it.
  void look_at(std::string_view text, std::size_t number);
  // Which of the keys the object has, known or not; may be asked before `fields`.
  bool has(Key key) const { return present_.test(static_cast<std::size_t>(key)); }

  // visit(Key, JsonValue) for each field of the line's object. Rejects keys that do not stand in `place` and repeated
  // ones. Free keys go to `free`; without it they are rejected too.
  template <class Visit>
  void fields(KeyPlace place, FreeKeys* free, Visit&& visit) {
    fields(restart(), place, free, std::forward<Visit>(visit));
    check_end();
  }
  template <class Visit>
  void fields(simdjson::ondemand::object object, KeyPlace place, FreeKeys* free, Visit&& visit);

  // visit(std::string_view key, JsonValue) for an object whose keys are free; repeated ones are rejected.
  template <class Visit>
  void any_fields(simdjson::ondemand::object object, Visit&& visit);

  // The object that was loaded, from its beginning.
  simdjson::ondemand::object restart();
  void check_end();
  // What the parser could not take: a syntax error with its place, or the parser's own words.
  [[noreturn]] void fail_broken(simdjson::error_code error) const;

 private:
  friend class JsonValue;
  [[noreturn]] void fail_unknown_key(const char* at, std::string_view key, KeyPlace place) const;
  [[noreturn]] void fail_repeated_key(const char* at, std::string_view key) const;

  std::string copy_;  // of the text, padded as the parser requires
  std::bitset<kKeyCount> present_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
};

// Why `text` is no JSON value and at which byte (from 0); nothing when it is one.
struct SyntaxError {
  std::size_t offset = 0;
  std::string reason;
};
std::optional<SyntaxError> syntax_error_of(std::string_view text);

template <class Visit>
void JsonValue::each_element(Visit&& visit) {
  simdjson::ondemand::array array;
  if (value_.get_array().get(array) != simdjson::SUCCESS) reject("an array");
  for (auto element : array) {
    simdjson::ondemand::value value;
    if (const auto error = element.get(value)) line_->fail_broken(error);
    visit(JsonValue(*line_, key_, value));
  }
}

template <class Visit>
void JsonLine::any_fields(simdjson::ondemand::object object, Visit&& visit) {
  std::unordered_set<std::string> seen;
  for (auto field : object) {
    if (const auto error = field.error()) fail_broken(error);
    const char* at = field.key().value_unsafe().raw() - 1;
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) fail_broken(error);
    if (!seen.emplace(key).second) fail_repeated_key(at, key);
    visit(key, JsonValue(*this, key, field.value().value_unsafe()));
  }
}

template <class Visit>
void JsonLine::fields(simdjson::ondemand::object object, KeyPlace place, FreeKeys* free, Visit&& visit) {
  std::bitset<kKeyCount> seen;
  std::unordered_set<std::string> seen_free;
  for (auto field : object) {
    if (const auto error = field.error()) fail_broken(error);
    const char* at = field.key().value_unsafe().raw() - 1;
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) fail_broken(error);
    JsonValue value(*this, name, field.value().value_unsafe());
    if (free != nullptr && is_free_key(name)) {
      if (!seen_free.emplace(name).second) fail_repeated_key(at, name);
      free->emplace_back(name, value.raw());
      continue;
    }
    const auto key = key_named(name);
    if (!key || !may_stand_in(*key, place)) fail_unknown_key(at, name, place);
    const auto bit = static_cast<std::size_t>(*key);
    if (seen.test(bit)) fail_repeated_key(at, name);
    seen.set(bit);
    visit(*key, value);
  }
}

}  // namespace petri

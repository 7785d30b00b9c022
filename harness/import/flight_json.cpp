#include "harness/import/flight_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "harness/import/flight_fields.hpp"
#include "harness/trace/error.hpp"

namespace petri {

namespace {

using W = FlightWord;
using simdjson::ondemand::json_type;
using Value = simdjson::ondemand::value;

constexpr std::size_t kLevelsKept = 2;  // a dump's keys; its entries, its groups

bool is_object(Value value) {
  return value.type() == json_type::object;
}

bool is_array(Value value) {
  return value.type() == json_type::array;
}

}  // namespace

void FlightJson::read(const std::string& file, std::string_view bytes, FlightDump& dump) {
  dump_ = &dump;
  if (bytes.empty()) throw InputError(file, 0, 0, "is empty");
  padded_.reserve(bytes.size() + simdjson::SIMDJSON_PADDING);
  padded_ = bytes;
  try {
    walk();
  } catch (const simdjson::simdjson_error& problem) {
    std::string closed = closed_json(bytes);
    if (closed.empty()) fail(file, problem.error());
    dump = FlightDump();
    dump.cut = true;
    padded_ = std::move(closed);
    padded_.reserve(padded_.size() + simdjson::SIMDJSON_PADDING);
    try {
      walk();
    } catch (const simdjson::simdjson_error& again) {
      fail(file, again.error());
    }
  }
  if (!known_) throw InputError(file, 0, 0, no_flight_dump("JSON", dump.cut));
}

void FlightJson::fail(const std::string& file, simdjson::error_code error) {
  const char* place = nullptr;
  std::size_t line = 0, column = 0;
  const char* const begin = padded_.data();
  if (begun_ && document_.current_location().get(place) == simdjson::SUCCESS && place >= begin &&
      place <= begin + padded_.size()) {
    const std::string_view before(begin, static_cast<std::size_t>(place - begin));
    line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
  }
  throw InputError(file, line, column, fmt::format("cannot be parsed: {}", simdjson::error_message(error)));
}

void FlightJson::walk() {
  known_ = false;
  parts_.begin(*dump_);
  begun_ = false;
  document_ = parser_.iterate(padded_.data(), padded_.size(), padded_.capacity());
  begun_ = true;
  for (auto field : document_.get_object()) {
    const W key = flight_word(field.unescaped_key());
    Value value = field.value();
    switch (key) {
      case W::version: dump_->version = dump_->text(text(value)); break;
      case W::comm_lib_version:
      case W::nccl_version: dump_->comm_lib_version = dump_->text(text(value)); break;
      case W::pg_config: known_ = known_ || is_object(value), config(value); break;
      case W::pg_status: known_ = known_ || is_object(value), status(value); break;
      case W::entries: known_ = known_ || is_array(value), entries(value); break;
      default: break;
    }
  }
  if (document_.current_location().error() != simdjson::OUT_OF_BOUNDS)
    throw simdjson::simdjson_error(simdjson::TAPE_ERROR);
  parts_.end();
}

template <class Filled>
void FlightJson::fill(Value object, Filled& filled) {
  for (auto field : object.get_object()) {
    const FlightWord key = flight_word(field.unescaped_key());
    FlightFields::take(*this, key, Value(field.value()), filled);
  }
}

void FlightJson::config(Value groups) {
  if (!is_object(groups)) return;
  for (auto named : groups.get_object()) {
    FlightGroup group;
    group.name = parts_.text(named.unescaped_key());
    Value object = named.value();
    if (!is_object(object)) continue;
    fill(object, group);
    parts_.configure(group);
  }
}

std::uint32_t FlightJson::ranks(Value list) {
  if (list.type() == json_type::string) return parts_.ranks(list.get_string());
  if (!is_array(list)) return 0;
  std::vector<std::int32_t> ranks;
  for (Value rank : list.get_array()) {
    ranks.push_back(small(rank));
  }
  return parts_.ranks(std::move(ranks));
}

void FlightJson::status(Value groups) {
  if (!is_object(groups)) return;
  for (auto named : groups.get_object()) {
    const std::int64_t id = number_or(named.unescaped_key(), -1);
    Value group = named.value();
    if (id < 0 || id > std::numeric_limits<std::int32_t>::max() || !is_object(group)) continue;
    FlightStatus status;
    fill(group, status);
    parts_.status(static_cast<std::int32_t>(id), status);
  }
}

void FlightJson::entries(Value list) {
  if (!is_array(list)) return;
  dump_->entries.clear();
  for (Value element : list.get_array()) {
    if (is_object(element)) fill(element, dump_->entries.emplace_back());
  }
}

// (name, description), or the name alone.
std::uint32_t FlightJson::group(Value pair) {
  if (!is_array(pair)) return parts_.group(text(pair), 0);
  FlightText texts[2] = {0, 0};
  std::size_t count = 0;
  for (Value element : pair.get_array()) {
    if (count < 2) texts[count] = text(element);
    ++count;
  }
  return parts_.group(texts[0], texts[1]);
}

FlightText FlightJson::site(Value frames) {
  if (!is_array(frames)) return 0;
  FlightText first = 0;
  for (Value frame : frames.get_array()) {
    if (!is_object(frame)) continue;
    FlightFrame at;
    fill(frame, at);
    const bool shown = !is_library_frame(at.file);
    if (shown || first == 0) first = parts_.site(at.file, at.line);
    if (shown) break;
  }
  return first;
}

FlightSide FlightJson::sizes(Value list) {
  if (!is_array(list)) return {};
  FlightTensors sum;
  for (Value axes : list.get_array()) {
    std::int64_t elements = -1;
    if (is_array(axes)) {
      elements = 1;
      for (Value axis : axes.get_array()) elements = times_axis(elements, whole(axis));
    }
    sum.add(elements);
  }
  return sum.side();
}

ElementType FlightJson::types(Value list) {
  if (!is_array(list)) return ElementType::unknown;
  FlightTensors tensors;
  for (Value element : list.get_array()) tensors.type(element_type_of(word(element)));
  return tensors.type();
}

std::int64_t FlightJson::whole(Value value) {
  const json_type type = value.type();
  if (type == json_type::string) return number_or(value.get_string(), -1);
  std::int64_t number = 0;
  if (type != json_type::number || value.get_int64().get(number) != simdjson::SUCCESS) return -1;
  return number;
}

std::int32_t FlightJson::small(Value value) {
  const std::int64_t number = whole(value);
  return number == static_cast<std::int32_t>(number) ? static_cast<std::int32_t>(number) : -1;
}

bool FlightJson::truth(Value value) {
  return value.type() == json_type::boolean && value.get_bool();
}

FlightWord FlightJson::word(Value value) {
  return value.type() == json_type::string ? flight_word(value.get_string()) : W::unknown;
}

std::string_view FlightJson::characters(Value value) {
  return value.type() == json_type::string ? std::string_view(value.get_string()) : std::string_view();
}

FlightText FlightJson::text(Value value) {
  const json_type type = value.type();
  if (type == json_type::string) return parts_.text(value.get_string());
  std::int64_t number = 0;
  if (type != json_type::number || value.get_int64().get(number) != simdjson::SUCCESS) return 0;
  return parts_.text(fmt::format_int(number).c_str());
}

std::string closed_json(std::string_view text) {
  std::string open, open_when_whole;  // what closes the levels, innermost last
  std::size_t whole = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
      continue;
    }
    const bool closes = c == '}' || c == ']', opens = c == '{' || c == '[';
    if (c == '"') in_text = true;
    if (opens) open += c == '{' ? '}' : ']';
    if (closes) {
      if (open.empty() || open.back() != c) return {};
      open.pop_back();
    }
    if ((!opens && !closes && c != ',') || open.size() > kLevelsKept) continue;
    whole = c == ',' ? i : i + 1;
    open_when_whole = open;
  }
  if (open.empty() || open_when_whole.empty()) return {};
  return std::string(text.substr(0, whole)).append(open_when_whole.rbegin(), open_when_whole.rend());
}

}  // namespace petri

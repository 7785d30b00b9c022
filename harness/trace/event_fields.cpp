#include "harness/trace/event_fields.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

namespace petri {
namespace {

struct Word {
  std::string_view text;
  std::int32_t value;
};
constexpr Word kWords[] = {{"any", kAny}, {"null", kNull}, {"root", kRootHere}};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
FieldValue value_of(T value) {
  if constexpr (std::is_same_v<T, ElementType> || std::is_same_v<T, ReduceOp>) {
    return std::string(name_of(value));
  } else if constexpr (IsOptional<T>::value) {
    return value_of(*value);
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    for (const Word& word : kWords)
      if (word.value == value) return std::string(word.text);
    return std::int64_t{value};
  } else {
    return static_cast<std::int64_t>(value);
  }
}

template <class T>
bool read_value(const FieldValue& value, T& to) {
  const std::string* text = std::get_if<std::string>(&value);
  const auto take = [&](const auto& found) {
    if (found) to = *found;
    return found.has_value();
  };
  if constexpr (std::is_same_v<T, ElementType>) {
    return text != nullptr && take(element_type_named(*text));
  } else if constexpr (std::is_same_v<T, ReduceOp>) {
    return text != nullptr && take(reduce_op_named(*text));
  } else if constexpr (IsOptional<T>::value) {
    typename T::value_type inner{};
    if (!read_value(value, inner)) return false;
    to = inner;
    return true;
  } else {
    if (text != nullptr) {
      if constexpr (std::is_same_v<T, std::int32_t>)
        for (const Word& word : kWords)
          if (word.text == *text) return to = word.value, true;
      return false;
    }
    const std::int64_t number = std::get<std::int64_t>(value);
    if (!std::is_same_v<T, std::uint64_t> && number < 0 && !std::is_same_v<T, std::int64_t> && !std::is_signed_v<T>)
      return false;
    if constexpr (sizeof(T) < sizeof number)
      if (number < static_cast<std::int64_t>(std::numeric_limits<T>::min()) ||
          number > static_cast<std::int64_t>(std::numeric_limits<T>::max()))
        return false;
    to = static_cast<T>(number);
    return true;
  }
}

template <class T>
std::string text_of(PackedNumbers<T> list) {
  std::string text;
  for (const T number : list) {
    if (!text.empty()) text += ' ';
    text += std::to_string(number);
  }
  return text;
}

template <class T>
bool read_list(const FieldValue& value, std::vector<T>& list) {
  const std::string* text = std::get_if<std::string>(&value);
  if (text == nullptr) return false;
  for (const char *at = text->data(), *end = at + text->size(); at != end;) {
    T number{};
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (next != end && *next != ' ')) return false;
    list.push_back(number);
    at = next == end ? end : next + 1;
  }
  return !list.empty();
}

using Setter = std::function<bool(Event&, const FieldValue&)>;
using Visitor = std::function<void(std::string_view, const FieldValue&)>;

constexpr std::string_view kLeftOut[] = {"new_comm", "npy"};

bool is_left_out(std::string_view name) {
  return std::find(std::begin(kLeftOut), std::end(kLeftOut), name) != std::end(kLeftOut);
}

// Of the arguments that are neither numbers nor lists, those that are a text.
template <class T, class Set>
void add_text(std::map<std::string_view, Setter>& setters, const char* name, Set set) {
  if constexpr (std::is_same_v<T, std::string>)
    setters[name] = [set](Event& event, const FieldValue& value) {
      const std::string* text = std::get_if<std::string>(&value);
      if (text != nullptr) set(event, *text);
      return text != nullptr;
    };
}

template <class T>
void visit_text(const Visitor& visit, std::string_view name, const T& value) {
  if constexpr (std::is_same_v<T, std::string>)
    if (!value.empty() && !is_left_out(name)) visit(name, value);
}

// Places in an event itself.
#define PETRI_PLACES(PLACE)          \
  PLACE(count, kUnknownCount)        \
  PLACE(dtype, ElementType::unknown) \
  PLACE(reduce, ReduceOp::unknown)   \
  PLACE(peer, kUnset)                \
  PLACE(tag, kUnset) PLACE(root, kUnset) PLACE(step, kUnset) PLACE(microbatch, kUnset) PLACE(request, kNoRequest)

std::map<std::string_view, Setter> all_setters() {
  std::map<std::string_view, Setter> setters;
#define PETRI_PLACE(name, none) \
  setters[#name] = [](Event& event, const FieldValue& value) { return read_value(value, event.name); };
  PETRI_PLACES(PETRI_PLACE)
#undef PETRI_PLACE
  setters["flag"] = [](Event& event, const FieldValue& value) {
    std::int32_t flag = 0;
    if (!read_value(value, flag) || flag < 0 || flag > 1) return false;
    event.flag = flag != 0;
    return true;
  };
#define PETRI_NUMBER(type, name, none)                         \
  setters[#name] = [](Event& event, const FieldValue& value) { \
    type number = type(none);                                  \
    if (!read_value(value, number)) return false;              \
    event.extras.set_##name(number);                           \
    return true;                                               \
  };
#define PETRI_LIST(type, name)                                 \
  setters[#name] = [](Event& event, const FieldValue& value) { \
    std::vector<type> list;                                    \
    if (!read_list(value, list)) return false;                 \
    event.extras.set_##name(list);                             \
    return true;                                               \
  };
#define PETRI_VALUE(type, name) \
  add_text<type>(setters, #name, [](Event& event, const auto& text) { event.extras.set_##name(text); });
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
  for (const std::string_view name : kLeftOut) setters.erase(name);
  return setters;
}

}  // namespace

void for_each_field(const Event& event, const Visitor& visit) {
#define PETRI_PLACE(name, none) \
  if (event.name != (none)) visit(#name, value_of(event.name));
  PETRI_PLACES(PETRI_PLACE)
#undef PETRI_PLACE
  if (event.flag >= 0) visit("flag", std::int64_t{event.flag});
  if (event.extras.empty()) return;
  const EventExtras& extras = event.extras;
#define PETRI_NUMBER(type, name, none) \
  if (!is_left_out(#name) && extras.name() != type(none)) visit(#name, value_of(extras.name()));
#define PETRI_LIST(type, name) \
  if (!extras.name().empty()) visit(#name, text_of(extras.name()));
#define PETRI_VALUE(type, name) visit_text(visit, #name, extras.name());
#include "harness/trace/event_extras.inc"
#undef PETRI_NUMBER
#undef PETRI_LIST
#undef PETRI_VALUE
}

bool set_field(Event& event, std::string_view name, const FieldValue& value) {
  static const std::map<std::string_view, Setter> setters = all_setters();
  const auto found = setters.find(name);
  return found != setters.end() && found->second(event, value);
}

}  // namespace petri

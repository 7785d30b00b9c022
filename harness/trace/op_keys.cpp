#include "harness/trace/op_keys.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace petri {
namespace {

using enum OpKind;

bool every(Op /*which*/) {
  return true;
}

template <OpKind... kinds>
bool kind(Op which) {
  return ((kind_of(which) == kinds) || ...);
}

template <OpTraits wanted>
bool trait(Op which) {
  return (info(which).traits & wanted) != 0;
}

template <Op... those>
bool op(Op which) {
  return ((which == those) || ...);
}

struct Row {
  bool (*holds)(Op);
  std::string_view needs, takes;
};

constexpr Row kRows[] = {
#define PETRI_KEYS(operations, needs, takes) {operations, needs, takes},
#include "harness/trace/op_keys.inc"
#undef PETRI_KEYS
};

// visit(part) for each non-empty part of `text` between separators.
template <class Visit>
void each_part(std::string_view text, char separator, Visit&& visit) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    if (!part.empty()) visit(part);
  }
}

Key known_key(std::string_view name) {
  const auto key = key_named(name);
  if (!key || !may_stand_in(*key, kEvent))
    throw std::logic_error("op_keys.inc: no key of an event: " + std::string(name));
  return *key;
}

OpKeys collect(Op which) {
  OpKeys keys;
  const auto take = [&](Key key) { keys.takes.set(static_cast<std::size_t>(key)); };
  for (const Row& row : kRows) {
    if (!row.holds(which)) continue;
    each_part(row.takes, ' ', [&](std::string_view name) { take(known_key(name)); });
    each_part(row.needs, ' ', [&](std::string_view choice) {
      keys.needs.emplace_back();
      each_part(choice, '/', [&](std::string_view name) { keys.needs.back().push_back(known_key(name)); });
      for (const Key key : keys.needs.back()) take(key);
    });
  }
  return keys;
}

bool has_argument(const Event& event, Key key) {
  const EventExtras& extras = event.extras;
  switch (key) {
    case Key::peer_: return event.peer != kUnset;
    case Key::sendpeer_: return extras.sendpeer() != kUnset;
    case Key::recvpeer_: return extras.recvpeer() != kUnset;
    case Key::root_: return event.root != kUnset;
    case Key::message_: return extras.message().has_value();
    case Key::request_: return event.request != kNoRequest;
    case Key::index_: return extras.index().has_value();
    case Key::win_: return !extras.win().empty();
    case Key::target_: return extras.target().has_value();
    case Key::lock_: return !extras.lock().empty();
    case Key::file_: return !extras.file().empty();
    case Key::event_: return !extras.event().empty();
    default: return true;  // rank and op, and lists
  }
}

}  // namespace

bool gives_request(Op which) {
  if (form_of(which) == OpForm::persistent) return true;
  // A test, an iprobe, a win_test and a parrived are nonblocking without one.
  return form_of(which) == OpForm::nonblocking && kind<send, recv, sendrecv, collective, comm_create, rma, file>(which);
}

const OpKeys& op_keys(Op which) {
  static const auto table = [] {
    std::array<OpKeys, kOpCount> keys;
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = collect(static_cast<Op>(i));
    return keys;
  }();
  return table[static_cast<std::size_t>(which)];
}

const std::vector<Key>* missing_argument(const Event& event) {
  for (const auto& choice : op_keys(event.op).needs)
    if (std::none_of(choice.begin(), choice.end(), [&](Key key) { return has_argument(event, key); })) return &choice;
  return nullptr;
}

}  // namespace petri

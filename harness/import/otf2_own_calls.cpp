// Calls of archives that Petri wrote: their arguments are attributes.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "harness/import/otf2_calls.hpp"

#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

constexpr std::pair<std::string_view, EventState> kStates[] = {{"unknown", EventState::unknown},
                                                               {"scheduled", EventState::scheduled},
                                                               {"started", EventState::started},
                                                               {"completed", EventState::completed}};

}  // namespace

void Otf2Calls::take_argument(const std::string& name, const FieldValue& value, Event& event,
                              std::optional<EventState>& stated) {
  const std::string* const text = std::get_if<std::string>(&value);
  if (name == "comm" || name == "new") {
    const std::int64_t* const number = std::get_if<std::int64_t>(&value);
    const std::int32_t comm =
        number == nullptr ? kNoComm : definitions_.comm_index(static_cast<std::uint32_t>(*number));
    if (comm == kNoComm) throw InputError(definitions_.name(), 0, 0, "a call is on a communicator that is not defined");
    if (name == "comm")
      event.comm = comm;
    else
      event.extras.set_new_comm(comm);
  } else if (name == "seq") {
    const std::int64_t* const number = std::get_if<std::int64_t>(&value);
    event.seq = number == nullptr ? 0 : static_cast<std::uint32_t>(*number);
  } else if (name == "site") {
    if (text != nullptr) event.site = scenario_.symbols.intern(*text);
  } else if (name == "state") {
    for (const auto& [word, state] : kStates)
      if (text != nullptr && *text == word) stated = state;
  } else if (!set_field(event, name, value)) {
    throw InputError(definitions_.name(), 0, 0,
                     fmt::format("an event has an argument \"{}\" that is none", printable_line(name)));
  }
}

// "op<1f>name=value<1f>…<1e>op…"; a value that is a number begins with '#'.
void Otf2Calls::add_not_reached(const std::string& text) {
  const auto each = [](std::string_view all, char separator, const auto& visit) {
    while (!all.empty()) {
      const std::size_t end = std::min(all.find(separator), all.size());
      visit(all.substr(0, end));
      all.remove_prefix(std::min(end + 1, all.size()));
    }
  };
  each(text, '\x1e', [&](std::string_view call) {
    Event event;
    std::optional<EventState> stated;
    bool first = true;
    each(call, '\x1f', [&](std::string_view part) {
      if (std::exchange(first, false)) {
        const std::optional<Op> op = op_named(part);
        if (!op) throw InputError(definitions_.name(), 0, 0, "a call that was not reached is none");
        event.op = *op;
        return;
      }
      const std::size_t equals = std::min(part.find('='), part.size());
      const std::string name(part.substr(0, equals));
      const std::string_view value = part.substr(std::min(equals + 1, part.size()));
      std::int64_t number = 0;
      if (value.starts_with('#') &&
          std::from_chars(value.data() + 1, value.data() + value.size(), number).ec == std::errc())
        take_argument(name, number, event, stated);
      else
        take_argument(name, std::string(value), event, stated);
    });
    push(std::move(event), times.empty() ? 0 : times.back(), stated.value_or(EventState::unknown));
  });
}

}  // namespace petri

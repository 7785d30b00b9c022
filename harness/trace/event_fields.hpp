// The arguments of an event by their names, as whole numbers and texts: for formats that carry arguments as attributes.
//
// Names are those of event.hpp and event_extras.inc ("peer", "dtype", "requests"). Ranks and tags are numbers, or the
// words "any", "null" and "root"; types and reductions are their names; lists are numbers with a blank between them.
// Not among them: what belongs to the scenario (op, comm, new_comm, state, seq, site) and payload (buffers, summaries,
// values, fill, npy, orders, free keys).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "harness/trace/event.hpp"

namespace petri {

using FieldValue = std::variant<std::int64_t, std::string>;

// Each argument that is there, in a fixed order.
void for_each_field(const Event& event, const std::function<void(std::string_view, const FieldValue&)>& visit);

// False where no argument is called so, or it cannot have this value; then the event is as it was.
bool set_field(Event& event, std::string_view name, const FieldValue& value);

}  // namespace petri

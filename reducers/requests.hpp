// Requests of one rank: who makes, starts and completes them, and what is left when some of those events go.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/trace/event.hpp"
#include "reducers/repair.hpp"

namespace petri::reduce {

// What an event does to the requests that it names.
enum class RequestRole : std::uint8_t { none, makes, starts, uses };
RequestRole request_role(const Event& event);

// Calls `visit(request)` for each request that the event names.
template <class Visit>
void for_each_request(const Event& event, Visit visit) {
  if (event.request != kNoRequest) visit(event.request);
  for (const std::uint32_t request : event.extras.requests()) visit(request);
}

// `kept` are events of `all`, at the positions `source`, both in program order. Takes the requests whose maker is gone
// out of starts, waits and tests, and removes those that become empty; the same for persistent requests that lost all
// their starts, maker included, where idle ones go, and for receives of a message whose probe is gone. What had no
// maker before it in `all` either is left alone. `source` stays in step with `kept`.
void drop_lost_requests(const std::vector<Event>& all, std::vector<Event>& kept, std::vector<std::uint32_t>& source,
                        Idle idle);

}  // namespace petri::reduce

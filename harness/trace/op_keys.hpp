// Which keys an event of an operation must and may have: one table, which reader, reducers and schema share.
#pragma once

#include <bitset>
#include <vector>

#include "harness/trace/event.hpp"
#include "harness/trace/keys.hpp"

namespace petri {

using KeySet = std::bitset<kKeyCount>;

struct OpKeys {
  // Each must be there, or another of its row: {peer}, or {sendpeer, peer}. An event that was observed, so one with a
  // state or an error, may lack them: a call can be given what no MPI accepts, and a record can have lost it.
  std::vector<std::vector<Key>> needs;
  KeySet takes;  // may be there; those that it needs among them
};

const OpKeys& op_keys(Op op);

inline bool takes(Op op, Key key) {
  return op_keys(op).takes.test(static_cast<std::size_t>(key));
}

// The first row of needs of which the event has no key. Lists are always there: an empty one is an argument, too.
const std::vector<Key>* missing_argument(const Event& event);

// Gives a request that some later call completes or frees.
bool gives_request(Op op);

inline bool was_observed(const Event& event) {
  return event.state != EventState::unknown || !event.extras.error().empty();
}

}  // namespace petri

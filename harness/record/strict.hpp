// Strict mode within a call; nothing of it happens without PETRI_STRICT.
#pragma once

#include "harness/record/handles.hpp"
#include "harness/record/meetings.hpp"
#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"

namespace petri::record {

// Inside the event of a collective, so that a watcher sees it started.
inline void meet(Call& call) {
  if (state.strict && call.venue() != nullptr)
    meet_at(*call.venue(), call.slot().matched, static_cast<Op>(call.slot().op));
}

// Of a nonblocking collective: its request is held back until the meeting is over.
inline Meeting* join_meeting(Call& call) {
  if (!state.strict || call.venue() == nullptr) return nullptr;
  return join_meeting(*call.venue(), call.slot().matched, static_cast<Op>(call.slot().op));
}
void hold_back(RequestEntry& entry, Meeting* meeting);

// Of a persistent collective: the n-th starts of one initialization meet (MPI 4.1, section 6.13).
void hold_back_starts(RequestEntry& entry, Call& initialization);
void join_start(RequestEntry& entry);

// Until none of the requests is held back.
void stay_while_held_back(RequestSet& set);

// One test of those requests that are not held back: `test` gets a list with null requests in the place of the others.
template <class Test>
int test_others(const RequestSet& set, MPI_Request* requests, const Test& test) {
  MPI_Request* const others = own_requests(set.size());
  if (others == nullptr) return MPI_ERR_NO_MEM;
  for (int i = 0; i < set.size(); ++i) others[i] = set.held_back(i) ? handles.no_request : requests[i];
  const int status = test(others);
  for (int i = 0; i < set.size(); ++i)
    if (!set.held_back(i)) requests[i] = others[i];
  return status;
}

}  // namespace petri::record

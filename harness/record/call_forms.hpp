// How a call goes on once its arguments are described: as a blocking collective, nonblocking, persistent.
#pragma once

#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"

namespace petri::record {

// Strict mode: nobody leaves a collective that somebody has not reached. Inside the event, so that a watcher sees it
// started.
inline void meet(Call& call) {
  if (call.active() && call.comm() != nullptr) meet_in(call.comm()->shadow, static_cast<Op>(call.slot().op));
}

template <class Collective>
int run(Call& call, const Collective& collective) {
  call.begin();
  meet(call);
  return call.end(collective());
}

// A call that makes a request; a wait or test completes it.
template <class Nonblocking>
int start(Call& call, const MPI_Request* request, const Nonblocking& nonblocking) {
  call.new_request();
  call.begin();
  const int status = nonblocking();
  if (status == MPI_SUCCESS) call.pending(request);
  return call.end(status);
}

// A call that makes a persistent request, which is inactive until it is started.
template <class Init>
int initialize(Call& call, const MPI_Request* request, const Init& init) {
  call.new_request();
  call.begin();
  const int status = init();
  if (status == MPI_SUCCESS)
    if (RequestEntry* entry = call.pending(request)) entry->persistent = true;
  return call.end(status);
}

}  // namespace petri::record

// How a call goes on once its arguments are described: as a blocking collective, nonblocking, persistent.
#pragma once

#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"
#include "harness/record/strict.hpp"

namespace petri::record {

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
  Meeting* const meeting = join_meeting(call);
  const int status = nonblocking();
  RequestEntry* const entry = status == MPI_SUCCESS ? call.pending(request) : nullptr;
  if (entry != nullptr) hold_back(*entry, meeting);
  return call.end(status);
}

// A call that makes a persistent request, which is inactive until it is started.
template <class Init>
int initialize(Call& call, const MPI_Request* request, const Init& init) {
  call.new_request();
  call.begin();
  meet(call);
  const int status = init();
  RequestEntry* const entry = status == MPI_SUCCESS ? call.pending(request) : nullptr;
  if (entry != nullptr) {
    entry->persistent = true;
    hold_back_starts(*entry, call);
  }
  return call.end(status);
}

}  // namespace petri::record

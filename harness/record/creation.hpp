// Calls that make a communicator.
#pragma once

#include <cstdlib>

#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"
#include "harness/record/strict.hpp"

namespace petri::record {

// A creation that is collective over `call.comm()`: it takes a position there and is the next creation on it.
inline void describe_creation(Call& call) {
  call.positional();
  if (call.active() && call.comm() != nullptr) call.slot().count = call.comm()->creations++;
}

// Names the members of a group by their ranks in another one.
void describe_members(Call& call, MPI_Group members, MPI_Group of);
void describe_members(Call& call, MPI_Group members);  // in the group of the call's communicator

// Between the MPI call and the end of the event: notes what a creation made that was described as such, …
int settle(Call& call, int status, const MPI_Comm* made);
// … or one that is matched by group and tag, which may be a text, instead of its position (MPI 4.1, section 7.4.2).
int settle_by_tag(Call& call, int status, const MPI_Comm* made, int tag, const char* name = nullptr);

// A creation with nothing to record but its position.
template <class Create>
int create(Op op, const void* site, MPI_Comm parent, const MPI_Comm* made, const Create& make) {
  Call call(op, site, parent);
  describe_creation(call);
  call.begin();
  meet(call);
  return settle(call, make(), made);
}

// The new communicator is there when the request completes.
template <class Dup>
int nonblocking_dup(Op op, const void* site, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request, const Dup& dup) {
  Call call(op, site, comm);
  describe_creation(call);
  call.new_request();
  call.begin();
  Meeting* const meeting = join_meeting(call);
  const int status = dup();
  if (RequestEntry* entry = status == MPI_SUCCESS ? call.pending(request) : nullptr) {
    hold_back(*entry, meeting);
    entry->later = static_cast<Later*>(std::calloc(1, sizeof(Later)));
    if (entry->later != nullptr) {
      entry->later->makes_comm = true;
      entry->later->new_comm = *newcomm;
      entry->later->parent = comm;
      entry->later->ordinal = static_cast<std::int32_t>(call.slot().count);
    }
  }
  return call.end(status);
}

}  // namespace petri::record

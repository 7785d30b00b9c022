// What calls of several files have in common: the two sides of a sendrecv, and creations of communicators.
#pragma once

#include <cstdlib>

#include "harness/record/recorder.hpp"
#include "harness/record/requests.hpp"

namespace petri::record {

inline void describe_both(Call& call, Sides sides, int sendcount, MPI_Datatype sendtype, int recvcount,
                          MPI_Datatype recvtype) {
  if (!call.active()) return;
  const FlatType send = flatten(sendtype), recv = flatten(recvtype);
  sides.sendcount = static_cast<std::int64_t>(sendcount) * send.per_element;
  sides.recvcount = static_cast<std::int64_t>(recvcount) * recv.per_element;
  sides.sendtype = static_cast<std::uint8_t>(send.basic);
  sides.recvtype = static_cast<std::uint8_t>(recv.basic);
  call.sides(sides);
}

inline Sides ends_of(int to, int sendtag, int from, int recvtag) {
  Sides sides{};
  sides.sendpeer = rank_value(to);
  sides.sendtag = tag_value(sendtag);
  sides.recvpeer = rank_value(from);
  sides.recvtag = tag_value(recvtag);
  return sides;
}

// A creation that is collective over `call.comm()`: it takes a position there and is the next creation on it.
inline void describe_creation(Call& call) {
  call.positional();
  if (call.active() && call.comm() != nullptr) call.slot().count = call.comm()->creations++;
}

// The new communicator is there when the request completes.
template <class Dup>
int nonblocking_dup(Op op, const void* site, MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request, const Dup& dup) {
  Call call(op, site, comm);
  describe_creation(call);
  call.new_request();
  call.begin();
  const int status = dup();
  if (RequestEntry* entry = status == MPI_SUCCESS ? call.pending(request) : nullptr) {
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

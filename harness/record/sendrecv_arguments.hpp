// The two sides of a sendrecv.
#pragma once

#include "harness/record/recorder.hpp"

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

}  // namespace petri::record

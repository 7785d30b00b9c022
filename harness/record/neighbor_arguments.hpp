// The arguments of collectives along a topology, said once for all their forms (MPI 4.1, chapter 8). Where the call
// lists counts, there is one for each neighbour in the order of the topology.
#pragma once

#include "harness/record/collective_arguments.hpp"

namespace petri::record {

inline int sources_of(const Call& call) {
  return call.comm() != nullptr ? call.comm()->sources : 0;
}

inline int destinations_of(const Call& call) {
  return call.comm() != nullptr ? call.comm()->destinations : 0;
}

// neighbor_allgather (one block out) and neighbor_alltoall (a block for each).
inline void describe_neighbor_exchange(Call& call, const Side& send, const Side& recv, bool block_for_each) {
  call.positional();
  both(call, send, recv);
  const std::int64_t blocks = block_for_each ? destinations_of(call) : 1;
  call.in(send.buffer, send.count * blocks, send.type);
  call.out(recv.buffer, static_cast<std::int64_t>(recv.count) * sources_of(call), recv.type);
}

inline void describe_neighbor_allgatherv(Call& call, const Side& send, const VectorSide& recv) {
  call.positional();
  counts(call, Part::recvcounts, recv.counts, sources_of(call), recv.type);
  touch(call, true, recv, sources_of(call));
  gives(call, send);
}

inline void describe_neighbor_alltoallv(Call& call, const VectorSide& send, const VectorSide& recv) {
  call.positional();
  if (!call.active()) return;
  counts(call, Part::sendcounts, send.counts, destinations_of(call), send.type);
  counts(call, Part::recvcounts, recv.counts, sources_of(call), recv.type);
  touch(call, false, send, destinations_of(call));
  touch(call, true, recv, sources_of(call));
  const FlatType from = flatten(send.type), to = flatten(recv.type);
  if (from.basic == to.basic) call.slot().dtype = static_cast<std::uint8_t>(from.basic);
}

inline void describe_neighbor_alltoallw(Call& call, const TypedSide<MPI_Aint>& send, const TypedSide<MPI_Aint>& recv) {
  call.positional();
  if (!call.active()) return;
  const int to = destinations_of(call), from = sources_of(call);
  call.typed_list(Part::sendcounts, send.counts, send.types, to);
  call.typed_list(Part::recvcounts, recv.counts, recv.types, from);
  touch(call, false, send, to);
  touch(call, true, recv, from);
  const ElementType sent = common_type(send.types, to);
  if (sent == common_type(recv.types, from)) call.slot().dtype = static_cast<std::uint8_t>(sent);
}

}  // namespace petri::record

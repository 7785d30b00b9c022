// The arguments of collectives, said once for the blocking and the nonblocking form.
//
// What is recorded: `count` and `dtype` of what this rank contributes, or receives where it contributes nothing; both
// sides where they differ; every rank's count where the call lists them. Arguments that MPI ignores are not recorded
// (MPI 4.1, chapter 6: a root's side on other ranks, the send side under MPI_IN_PLACE, everything but the root on those
// members of the root's group of an intercommunicator who give MPI_PROC_NULL).
#pragma once

#include "harness/record/recorder.hpp"

namespace petri::record {

struct Side {
  const void* buffer;
  int count;
  MPI_Datatype type;
};

// A piece for each rank, at a displacement that counts extents of the type.
struct VectorSide {
  const void* buffer;
  const int* counts;
  const int* displacements;
  MPI_Datatype type;
};

// Pieces of a type each, at displacements in bytes; `Displacement` is int or MPI_Aint.
template <class Displacement>
struct TypedSide {
  const void* buffer;
  const int* counts;
  const Displacement* displacements;
  const MPI_Datatype* types;
};

// Enough of a call to know who is root.
inline bool is_root(const Call& call, int root) {
  return call.comm() != nullptr && (root == MPI_ROOT || (!call.comm()->inter && root == call.comm()->rank));
}

// How many ranks a call exchanges data with: those of the other group on an intercommunicator.
inline int peers_of(const Call& call) {
  return call.comm() != nullptr ? call.comm()->peers : 0;
}

inline std::int64_t local_size_of(const Call& call) {
  return call.comm() != nullptr ? call.comm()->size : 0;
}

// Names the root. False where nothing else of the call is significant on this rank.
inline bool takes_part(Call& call, int root) {
  call.root(root);
  return root != MPI_PROC_NULL;
}

// One side with its data before the call.
inline void gives(Call& call, const Side& side) {
  call.data(side.count, side.type);
  call.in(side.buffer, side.count, side.type);
}

inline void both(Call& call, const Side& send, const Side& recv) {
  if (!call.active()) return;
  const FlatType from = flatten(send.type), to = flatten(recv.type);
  const std::int64_t sent = static_cast<std::int64_t>(send.count) * from.per_element;
  const std::int64_t received = static_cast<std::int64_t>(recv.count) * to.per_element;
  call.data(send.count, send.type);
  if (sent == received && from.basic == to.basic) return;
  Sides sides{};
  sides.sendcount = sent;
  sides.recvcount = received;
  sides.sendpeer = sides.recvpeer = sides.sendtag = sides.recvtag = kUnset;
  sides.sendtype = static_cast<std::uint8_t>(from.basic);
  sides.recvtype = static_cast<std::uint8_t>(to.basic);
  call.sides(sides);
}

// The types of both sides, where their counts are lists.
inline void types(Call& call, ElementType from, ElementType to) {
  if (from == to) {
    call.slot().dtype = static_cast<std::uint8_t>(from);
    return;
  }
  Sides sides{};
  sides.sendcount = sides.recvcount = kUnknownCount;
  sides.sendpeer = sides.recvpeer = sides.sendtag = sides.recvtag = kUnset;
  sides.sendtype = static_cast<std::uint8_t>(from);
  sides.recvtype = static_cast<std::uint8_t>(to);
  call.sides(sides);
}

inline void counts(Call& call, Part kind, const int* values, int n, MPI_Datatype type) {
  if (call.active()) call.scaled_list(kind, values, n, flatten(type).per_element);
}

inline const void* moved(const void* buffer, std::int64_t bytes) {
  return reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(buffer) + bytes);
}

// Which memory the pieces cover, from the first to the last; `n` of them.
inline void touch(Call& call, bool written, const VectorSide& side, int n) {
  if (!state.buffers || !call.active() || side.buffer == MPI_IN_PLACE) return;
  MPI_Aint low = 0, extent = 0;
  real::Type_get_extent(side.type, &low, &extent);
  for (int i = 0; i < n; ++i) {
    const void* piece = moved(side.buffer, side.displacements[i] * extent);
    written ? call.writes(piece, side.counts[i], side.type) : call.reads(piece, side.counts[i], side.type);
  }
}

template <class Displacement>
void touch(Call& call, bool written, const TypedSide<Displacement>& side, int n) {
  if (!state.buffers || !call.active() || side.buffer == MPI_IN_PLACE) return;
  for (int i = 0; i < n; ++i) {
    const void* piece = moved(side.buffer, side.displacements[i]);
    written ? call.writes(piece, side.counts[i], side.types[i]) : call.reads(piece, side.counts[i], side.types[i]);
  }
}

inline void describe_barrier(Call& call) {
  call.positional();
}

inline void describe_bcast(Call& call, const Side& data, int root) {
  call.positional();
  if (!takes_part(call, root)) return;
  call.data(data.count, data.type);
  if (is_root(call, root)) {
    call.in(data.buffer, data.count, data.type);
  } else {
    call.out(data.buffer, data.count, data.type);
  }
}

// What a rank does in reduce, allreduce, scan, exscan and reduce_scatter_block: so many blocks of `count` elements go
// in where it gives, one comes out where it gets.
struct Flow {
  bool gives = true, gets = true;
  std::int64_t blocks = 1;
};

inline void describe_reduction(Call& call, const void* send, const void* recv, int count, MPI_Datatype type, MPI_Op op,
                               const Flow& flow = {}) {
  call.positional();
  call.reduction(op);
  call.data(count, type);
  if (flow.gives) call.in(send == MPI_IN_PLACE ? recv : send, count * flow.blocks, type);
  if (flow.gets) call.out(recv, count, type);
}

inline void describe_reduce(Call& call, const void* send, const void* recv, int count, MPI_Datatype type, MPI_Op op,
                            int root) {
  if (!takes_part(call, root)) return call.positional();
  describe_reduction(call, send, recv, count, type, op, {root != MPI_ROOT, is_root(call, root)});
}

inline void describe_reduce_scatter(Call& call, const void* send, const void* recv, const int* recvcounts,
                                    MPI_Datatype type, MPI_Op op) {
  call.positional();
  call.reduction(op);
  if (!call.active() || call.comm() == nullptr) return;
  std::int64_t total = 0;
  const int n = call.comm()->size;  // on an intercommunicator, too: each group shares its own result
  for (int i = 0; i < n; ++i) total += recvcounts[i];
  call.data(recvcounts[call.comm()->rank], type);
  counts(call, Part::counts, recvcounts, n, type);
  call.in(send == MPI_IN_PLACE ? recv : send, total, type);
  call.out(recv, recvcounts[call.comm()->rank], type);
}

// The equal-sized blocks of gather, allgather and alltoall: each rank sends `send` and receives `recv` from each.
inline void describe_gather(Call& call, const Side& send, const Side& recv, int root) {
  call.positional();
  if (!takes_part(call, root)) return;
  const bool gets = is_root(call, root);
  if (send.buffer == MPI_IN_PLACE || root == MPI_ROOT) {
    call.data(recv.count, recv.type);
  } else if (gets) {
    both(call, send, recv);
    call.in(send.buffer, send.count, send.type);
  } else {
    gives(call, send);
  }
  if (gets) call.out(recv.buffer, static_cast<std::int64_t>(recv.count) * peers_of(call), recv.type);
}

inline void describe_scatter(Call& call, const Side& send, const Side& recv, int root) {
  call.positional();
  if (!takes_part(call, root)) return;
  const bool has = is_root(call, root);
  if (!has) {
    call.data(recv.count, recv.type);
  } else if (recv.buffer == MPI_IN_PLACE || root == MPI_ROOT) {
    call.data(send.count, send.type);
  } else {
    both(call, send, recv);
  }
  if (has) call.in(send.buffer, static_cast<std::int64_t>(send.count) * peers_of(call), send.type);
  if (root != MPI_ROOT && recv.buffer != MPI_IN_PLACE) call.out(recv.buffer, recv.count, recv.type);
}

// allgather (one block in) and alltoall (a block for each).
inline void describe_exchange(Call& call, const Side& send, const Side& recv, bool block_for_each) {
  call.positional();
  const std::int64_t blocks = peers_of(call);
  if (send.buffer == MPI_IN_PLACE) {
    call.data(recv.count, recv.type);
  } else {
    both(call, send, recv);
    call.in(send.buffer, block_for_each ? send.count * blocks : send.count, send.type);
  }
  call.out(recv.buffer, recv.count * blocks, recv.type);
}

// The v-forms. Their receive buffers have gaps: no digest is taken of them.
inline void describe_gatherv(Call& call, const Side& send, const VectorSide& recv, int root) {
  call.positional();
  if (!takes_part(call, root) || !call.active() || call.comm() == nullptr) return;
  const bool gets = is_root(call, root);
  if (gets) {
    counts(call, Part::recvcounts, recv.counts, peers_of(call), recv.type);
    touch(call, true, recv, peers_of(call));
  }
  if (gets && send.buffer == MPI_IN_PLACE) {
    call.data(recv.counts[call.comm()->rank], recv.type);
  } else if (root != MPI_ROOT) {
    gives(call, send);
  }
}

inline void describe_scatterv(Call& call, const VectorSide& send, const Side& recv, int root) {
  call.positional();
  if (!takes_part(call, root) || !call.active() || call.comm() == nullptr) return;
  const bool has = is_root(call, root);
  if (has) {
    counts(call, Part::sendcounts, send.counts, peers_of(call), send.type);
    touch(call, false, send, peers_of(call));
  }
  if (has && recv.buffer == MPI_IN_PLACE) {
    call.data(send.counts[call.comm()->rank], send.type);
  } else if (root != MPI_ROOT) {
    call.data(recv.count, recv.type);
    call.out(recv.buffer, recv.count, recv.type);
  }
}

inline void describe_allgatherv(Call& call, const Side& send, const VectorSide& recv) {
  call.positional();
  if (!call.active() || call.comm() == nullptr) return;
  counts(call, Part::recvcounts, recv.counts, peers_of(call), recv.type);
  touch(call, true, recv, peers_of(call));
  if (send.buffer == MPI_IN_PLACE) {
    call.data(recv.counts[call.comm()->rank], recv.type);
  } else {
    gives(call, send);
  }
}

// In place, what is received says also what is sent.
inline void describe_alltoallv(Call& call, const VectorSide& send, const VectorSide& recv) {
  call.positional();
  if (!call.active()) return;
  const VectorSide& sent = send.buffer == MPI_IN_PLACE ? recv : send;
  counts(call, Part::sendcounts, sent.counts, peers_of(call), sent.type);
  counts(call, Part::recvcounts, recv.counts, peers_of(call), recv.type);
  touch(call, false, sent, peers_of(call));
  touch(call, true, recv, peers_of(call));
  types(call, flatten(sent.type).basic, flatten(recv.type).basic);
}

// The type that all members of a list share.
inline ElementType common_type(const MPI_Datatype* types, int n) {
  ElementType common = n > 0 ? flatten(types[0]).basic : ElementType::unknown;
  for (int i = 1; i < n; ++i)
    if (flatten(types[i]).basic != common) common = ElementType::unknown;
  return common;
}

template <class Displacement>
void describe_alltoallw(Call& call, const TypedSide<Displacement>& send, const TypedSide<Displacement>& recv) {
  call.positional();
  if (!call.active()) return;
  const TypedSide<Displacement>& sent = send.buffer == MPI_IN_PLACE ? recv : send;
  const int n = peers_of(call);
  call.typed_list(Part::sendcounts, sent.counts, sent.types, n);
  call.typed_list(Part::recvcounts, recv.counts, recv.types, n);
  touch(call, false, sent, n);
  touch(call, true, recv, n);
  types(call, common_type(sent.types, n), common_type(recv.types, n));
}

}  // namespace petri::record

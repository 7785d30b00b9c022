// The arguments of collectives, said once for the blocking and the nonblocking form.
//
// What is recorded: `count` and `dtype` of what this rank contributes, or receives where it contributes nothing; both
// sides where they differ; every rank's count where the call lists them. Arguments that MPI ignores are not recorded
// (MPI 4.1, chapter 6: a root's side on other ranks, the send side under MPI_IN_PLACE).
#pragma once

#include "harness/record/recorder.hpp"

namespace petri::record {

struct Side {
  const void* buffer;
  int count;
  MPI_Datatype type;
};

struct VectorSide {
  const void* buffer;
  const int* counts;
  MPI_Datatype type;
};

// Enough of a call to know who is root.
inline bool is_root(const Call& call, int root) {
  return call.comm() != nullptr && (root == MPI_ROOT || root == call.comm()->rank);
}

inline int size_of(const Call& call) {
  return call.comm() != nullptr ? call.comm()->size : 0;
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

inline void counts(Call& call, Part kind, const int* values, MPI_Datatype type) {
  if (call.active()) call.scaled_list(kind, values, size_of(call), flatten(type).per_element);
}

inline void describe_barrier(Call& call) {
  call.positional();
}

inline void describe_bcast(Call& call, const Side& data, int root) {
  call.positional();
  call.root(root);
  call.data(data.count, data.type);
  if (is_root(call, root)) {
    call.in(data.buffer, data.count, data.type);
  } else {
    call.out(data.buffer, data.count, data.type);
  }
}

// reduce, allreduce, scan, exscan, reduce_scatter_block: `total` elements go in, `result` elements come out where
// `gets`.
inline void describe_reduction(Call& call, const void* send, const void* recv, int count, MPI_Datatype type, MPI_Op op,
                               bool gets, std::int64_t blocks) {
  call.positional();
  call.reduction(op);
  call.data(count, type);
  call.in(send == MPI_IN_PLACE ? recv : send, count * blocks, type);
  if (gets) call.out(recv, count, type);
}

inline void describe_reduce(Call& call, const void* send, const void* recv, int count, MPI_Datatype type, MPI_Op op,
                            int root) {
  describe_reduction(call, send, recv, count, type, op, is_root(call, root), 1);
  call.root(root);
}

inline void describe_reduce_scatter(Call& call, const void* send, const void* recv, const int* recvcounts,
                                    MPI_Datatype type, MPI_Op op) {
  call.positional();
  call.reduction(op);
  if (!call.active() || call.comm() == nullptr) return;
  std::int64_t total = 0;
  for (int i = 0; i < size_of(call); ++i) total += recvcounts[i];
  call.data(recvcounts[call.comm()->rank], type);
  counts(call, Part::counts, recvcounts, type);
  call.in(send == MPI_IN_PLACE ? recv : send, total, type);
  call.out(recv, recvcounts[call.comm()->rank], type);
}

// The equal-sized blocks of gather, allgather and alltoall: each rank sends `send` and receives `recv` from each.
inline void describe_gather(Call& call, const Side& send, const Side& recv, int root) {
  call.positional();
  call.root(root);
  const bool gets = is_root(call, root);
  if (send.buffer == MPI_IN_PLACE) {
    call.data(recv.count, recv.type);
  } else if (gets && root != MPI_ROOT) {
    both(call, send, recv);
    call.in(send.buffer, send.count, send.type);
  } else {
    gives(call, gets ? recv : send);
  }
  if (gets) call.out(recv.buffer, static_cast<std::int64_t>(recv.count) * size_of(call), recv.type);
}

inline void describe_scatter(Call& call, const Side& send, const Side& recv, int root) {
  call.positional();
  call.root(root);
  const bool has = is_root(call, root);
  if (!has) {
    call.data(recv.count, recv.type);
  } else if (recv.buffer == MPI_IN_PLACE || root == MPI_ROOT) {
    call.data(send.count, send.type);
  } else {
    both(call, send, recv);
  }
  if (has) call.in(send.buffer, static_cast<std::int64_t>(send.count) * size_of(call), send.type);
  if (root != MPI_ROOT && recv.buffer != MPI_IN_PLACE) call.out(recv.buffer, recv.count, recv.type);
}

// allgather (one block in) and alltoall (a block for each).
inline void describe_exchange(Call& call, const Side& send, const Side& recv, bool block_for_each) {
  call.positional();
  const std::int64_t blocks = size_of(call);
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
  call.root(root);
  if (!call.active() || call.comm() == nullptr) return;
  const bool gets = is_root(call, root);
  if (gets) counts(call, Part::recvcounts, recv.counts, recv.type);
  if (gets && send.buffer == MPI_IN_PLACE) {
    call.data(recv.counts[call.comm()->rank], recv.type);
  } else if (root != MPI_ROOT) {
    gives(call, send);
  }
}

inline void describe_scatterv(Call& call, const VectorSide& send, const Side& recv, int root) {
  call.positional();
  call.root(root);
  if (!call.active() || call.comm() == nullptr) return;
  const bool has = is_root(call, root);
  if (has) counts(call, Part::sendcounts, send.counts, send.type);
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
  counts(call, Part::recvcounts, recv.counts, recv.type);
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
  counts(call, Part::sendcounts, sent.counts, sent.type);
  counts(call, Part::recvcounts, recv.counts, recv.type);
  const FlatType from = flatten(sent.type), to = flatten(recv.type);
  if (from.basic == to.basic) call.slot().dtype = static_cast<std::uint8_t>(from.basic);
}

// The type that all members of a list share.
inline ElementType common_type(const MPI_Datatype* types, int n) {
  ElementType common = n > 0 ? flatten(types[0]).basic : ElementType::unknown;
  for (int i = 1; i < n; ++i)
    if (flatten(types[i]).basic != common) common = ElementType::unknown;
  return common;
}

inline void describe_alltoallw(Call& call, const void* sendbuf, const int* sendcounts, const MPI_Datatype* sendtypes,
                               const int* recvcounts, const MPI_Datatype* recvtypes) {
  call.positional();
  if (!call.active()) return;
  const bool in_place = sendbuf == MPI_IN_PLACE;
  const int n = size_of(call);
  call.typed_list(Part::sendcounts, in_place ? recvcounts : sendcounts, in_place ? recvtypes : sendtypes, n);
  call.typed_list(Part::recvcounts, recvcounts, recvtypes, n);
  const ElementType from = common_type(in_place ? recvtypes : sendtypes, n);
  if (from == common_type(recvtypes, n)) call.slot().dtype = static_cast<std::uint8_t>(from);
}

}  // namespace petri::record

// One-sided data movement, MPI 4.1 section 12.3. `count` and `dtype` are those of the target's side; the other sides of
// the call are recorded where they differ: what is sent, and where the answer goes.
#include "harness/record/call_forms.hpp"
#include "harness/record/collective_arguments.hpp"
#include "harness/record/comm_objects.hpp"

using namespace petri;
using namespace petri::record;

namespace {

struct Target {
  int rank;
  MPI_Aint disp;  // in the target's unit
  int count;
  MPI_Datatype type;
};

struct Flattened {
  std::int64_t count;
  ElementType type;
};

Flattened flattened(int count, MPI_Datatype type) {
  const FlatType& flat = flatten(type);
  return {static_cast<std::int64_t>(count) * flat.per_element, flat.basic};
}

void describe_target(Call& call, MPI_Win win, const Target& target) {
  if (!call.active()) return;
  describe_object(call, windows, win);
  call.slot().matched = rank_value(target.rank);
  // Bytes that lie apart are no range: where they are is not told.
  set_disp(call.slot(), flatten(target.type).contiguous ? target.disp : kNoDisp);
  call.data(target.count, target.type);
}

// Null for a side that the call does not have or that MPI ignores.
void describe_origin(Call& call, const Target& target, const Side* sends, const Side* gets) {
  if (!call.active()) return;
  const Flattened there = flattened(target.count, target.type);
  const Flattened out = sends != nullptr ? flattened(sends->count, sends->type) : there;
  const Flattened back = gets != nullptr ? flattened(gets->count, gets->type) : there;
  const auto same = [&](const Flattened& side) { return side.count == there.count && side.type == there.type; };
  if (!same(out) || !same(back)) {
    Sides sides{};
    sides.sendcount = out.count;
    sides.recvcount = back.count;
    sides.sendpeer = sides.recvpeer = sides.sendtag = sides.recvtag = kUnset;
    sides.sendtype = static_cast<std::uint8_t>(out.type);
    sides.recvtype = static_cast<std::uint8_t>(back.type);
    call.sides(sides);
  }
  if (sends != nullptr) call.in(sends->buffer, sends->count, sends->type);
  if (gets != nullptr) call.writes(gets->buffer, gets->count, gets->type);
}

void describe_put(Call& call, MPI_Win win, const Side& origin, const Target& target) {
  describe_target(call, win, target);
  describe_origin(call, target, &origin, nullptr);
}

void describe_get(Call& call, MPI_Win win, const Side& origin, const Target& target) {
  describe_target(call, win, target);
  describe_origin(call, target, nullptr, &origin);
}

void describe_accumulate(Call& call, MPI_Win win, const Side& origin, const Target& target, MPI_Op op) {
  describe_put(call, win, origin, target);
  call.reduction(op);
}

// MPI_NO_OP only reads: what would be sent is ignored.
void describe_get_accumulate(Call& call, MPI_Win win, const Side& origin, const Side& result, const Target& target,
                             MPI_Op op) {
  describe_target(call, win, target);
  call.reduction(op);
  const bool reads_only = call.active() && call.slot().reduce == static_cast<std::uint8_t>(ReduceOp::no_op);
  describe_origin(call, target, reads_only ? nullptr : &origin, &result);
}

template <class Access>
int access(Call& call, const Access& perform) {
  call.begin();
  return call.end(perform());
}

}  // namespace

PETRI_MPI(Put)
(const void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Win win) {
  Call call(Op::put, PETRI_SITE);
  describe_put(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type});
  return access(call, [=] { return real::Put(origin, origin_count, origin_type, rank, disp, count, type, win); });
}

PETRI_MPI(Get)
(void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Win win) {
  Call call(Op::get, PETRI_SITE);
  describe_get(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type});
  return access(call, [=] { return real::Get(origin, origin_count, origin_type, rank, disp, count, type, win); });
}

PETRI_MPI(Accumulate)
(const void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Op op, MPI_Win win) {
  Call call(Op::accumulate, PETRI_SITE);
  describe_accumulate(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type}, op);
  return access(call,
                [=] { return real::Accumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win); });
}

PETRI_MPI(Get_accumulate)
(const void* origin, int origin_count, MPI_Datatype origin_type, void* result, int result_count,
 MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op, MPI_Win win) {
  Call call(Op::get_accumulate, PETRI_SITE);
  describe_get_accumulate(call, win, {origin, origin_count, origin_type}, {result, result_count, result_type},
                          {rank, disp, count, type}, op);
  return access(call, [=] {
    return real::Get_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp, count,
                                type, op, win);
  });
}

PETRI_MPI(Fetch_and_op)
(const void* origin, void* result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Op op, MPI_Win win) {
  Call call(Op::fetch_and_op, PETRI_SITE);
  describe_get_accumulate(call, win, {origin, 1, type}, {result, 1, type}, {rank, disp, 1, type}, op);
  return access(call, [=] { return real::Fetch_and_op(origin, result, type, rank, disp, op, win); });
}

PETRI_MPI(Compare_and_swap)
(const void* origin, const void* compare, void* result, MPI_Datatype type, int rank, MPI_Aint disp, MPI_Win win) {
  Call call(Op::compare_and_swap, PETRI_SITE);
  describe_put(call, win, {origin, 1, type}, {rank, disp, 1, type});
  call.writes(result, 1, type);
  return access(call, [=] { return real::Compare_and_swap(origin, compare, result, type, rank, disp, win); });
}

PETRI_MPI(Rput)
(const void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Win win, MPI_Request* request) {
  Call call(Op::rput, PETRI_SITE);
  describe_put(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type});
  return start(call, request,
               [=] { return real::Rput(origin, origin_count, origin_type, rank, disp, count, type, win, request); });
}

PETRI_MPI(Rget)
(void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Win win, MPI_Request* request) {
  Call call(Op::rget, PETRI_SITE);
  describe_get(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type});
  call.out(origin, origin_count, origin_type);
  return start(call, request,
               [=] { return real::Rget(origin, origin_count, origin_type, rank, disp, count, type, win, request); });
}

PETRI_MPI(Raccumulate)
(const void* origin, int origin_count, MPI_Datatype origin_type, int rank, MPI_Aint disp, int count, MPI_Datatype type,
 MPI_Op op, MPI_Win win, MPI_Request* request) {
  Call call(Op::raccumulate, PETRI_SITE);
  describe_accumulate(call, win, {origin, origin_count, origin_type}, {rank, disp, count, type}, op);
  return start(call, request, [=] {
    return real::Raccumulate(origin, origin_count, origin_type, rank, disp, count, type, op, win, request);
  });
}

PETRI_MPI(Rget_accumulate)
(const void* origin, int origin_count, MPI_Datatype origin_type, void* result, int result_count,
 MPI_Datatype result_type, int rank, MPI_Aint disp, int count, MPI_Datatype type, MPI_Op op, MPI_Win win,
 MPI_Request* request) {
  Call call(Op::rget_accumulate, PETRI_SITE);
  describe_get_accumulate(call, win, {origin, origin_count, origin_type}, {result, result_count, result_type},
                          {rank, disp, count, type}, op);
  call.out(result, result_count, result_type);
  return start(call, request, [=] {
    return real::Rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, rank, disp,
                                 count, type, op, win, request);
  });
}

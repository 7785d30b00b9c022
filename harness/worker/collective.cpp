// Collectives in all their forms (MPI 4.1, chapter 6).
#include <array>

#include "harness/worker/collective_call.hpp"
#include "harness/worker/perform.hpp"

namespace petri {
namespace {

using Call = CollectiveCall;

void barrier(Call& c) {
  c.make(PETRI_FORMS(Barrier, Ibarrier), c.comm);
}

void bcast(Call& c) {
  c.make(PETRI_FORMS(Bcast, Ibcast), c.sent(), c.send_count, c.send_type, c.root, c.comm);
}

void reduce(Call& c) {
  c.make(PETRI_FORMS(Reduce, Ireduce), c.sent(), c.room(), c.send_count, c.send_type, c.op, c.root, c.comm);
}

void allreduce(Call& c) {
  c.make(PETRI_FORMS(Allreduce, Iallreduce), c.sent(), c.room(), c.send_count, c.send_type, c.op, c.comm);
}

void gather(Call& c) {
  c.make(PETRI_FORMS(Gather, Igather), c.sent(), c.send_count, c.send_type, c.room_for_all(), c.recv_count, c.recv_type,
         c.root, c.comm);
}

void gatherv(Call& c) {
  const auto from = c.received_from_each();
  c.make(PETRI_FORMS(Gatherv, Igatherv), c.sent(), c.send_count, c.send_type, c.room(from.total), from.counts,
         from.displacements, c.recv_type, c.root, c.comm);
}

void scatter(Call& c) {
  c.make(PETRI_FORMS(Scatter, Iscatter), c.sent_to_all(), c.send_count, c.send_type, c.room(), c.recv_count,
         c.recv_type, c.root, c.comm);
}

void scatterv(Call& c) {
  const auto to = c.sent_to_each();
  c.make(PETRI_FORMS(Scatterv, Iscatterv), c.sent(to.total), to.counts, to.displacements, c.send_type, c.room(),
         c.recv_count, c.recv_type, c.root, c.comm);
}

void allgather(Call& c) {
  c.make(PETRI_FORMS(Allgather, Iallgather), c.sent(), c.send_count, c.send_type, c.room_for_all(), c.recv_count,
         c.recv_type, c.comm);
}

void allgatherv(Call& c) {
  const auto from = c.received_from_each();
  const int own = c.own(c.event().extras.sendcount(), from);
  c.make(PETRI_FORMS(Allgatherv, Iallgatherv), c.sent(static_cast<std::size_t>(own)), own, c.send_type,
         c.room(from.total), from.counts, from.displacements, c.recv_type, c.comm);
}

void alltoall(Call& c) {
  c.make(PETRI_FORMS(Alltoall, Ialltoall), c.sent_to_all(), c.send_count, c.send_type, c.room_for_all(), c.recv_count,
         c.recv_type, c.comm);
}

void alltoallv(Call& c) {
  const auto to = c.sent_to_each(), from = c.received_from_each();
  c.make(PETRI_FORMS(Alltoallv, Ialltoallv), c.sent(to.total), to.counts, to.displacements, c.send_type,
         c.room(from.total), from.counts, from.displacements, c.recv_type, c.comm);
}

void alltoallw(Call& c) {
  const auto to = c.bytes_to_each<int>(), from = c.bytes_from_each<int>();
  c.make(PETRI_FORMS(Alltoallw, Ialltoallw), c.sent(to.total), to.counts, to.displacements,
         c.types(c.send_type, c.destinations), c.room(from.total), from.counts, from.displacements,
         c.types(c.recv_type, c.sources), c.comm);
}

void reduce_scatter(Call& c) {
  const auto each = c.scattered_to_each();
  c.make(PETRI_FORMS(Reduce_scatter, Ireduce_scatter), c.sent(each.total), c.room(each.total), each.counts, c.send_type,
         c.op, c.comm);
}

void reduce_scatter_block(Call& c) {
  c.make(PETRI_FORMS(Reduce_scatter_block, Ireduce_scatter_block), c.sent(Call::times(c.recv_count, c.members)),
         c.room(), c.recv_count, c.send_type, c.op, c.comm);
}

void scan(Call& c) {
  c.make(PETRI_FORMS(Scan, Iscan), c.sent(), c.room(), c.send_count, c.send_type, c.op, c.comm);
}

void exscan(Call& c) {
  c.make(PETRI_FORMS(Exscan, Iexscan), c.sent(), c.room(), c.send_count, c.send_type, c.op, c.comm);
}

// Chapter 8: the same along a topology.
void neighbor_allgather(Call& c) {
  c.make(PETRI_FORMS(Neighbor_allgather, Ineighbor_allgather), c.sent(), c.send_count, c.send_type, c.room_for_all(),
         c.recv_count, c.recv_type, c.comm);
}

void neighbor_allgatherv(Call& c) {
  const auto from = c.received_from_each();
  c.make(PETRI_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv), c.sent(), c.send_count, c.send_type,
         c.room(from.total), from.counts, from.displacements, c.recv_type, c.comm);
}

void neighbor_alltoall(Call& c) {
  c.make(PETRI_FORMS(Neighbor_alltoall, Ineighbor_alltoall), c.sent_to_all(), c.send_count, c.send_type,
         c.room_for_all(), c.recv_count, c.recv_type, c.comm);
}

void neighbor_alltoallv(Call& c) {
  const auto to = c.sent_to_each(), from = c.received_from_each();
  c.make(PETRI_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv), c.sent(to.total), to.counts, to.displacements,
         c.send_type, c.room(from.total), from.counts, from.displacements, c.recv_type, c.comm);
}

void neighbor_alltoallw(Call& c) {
  const auto to = c.bytes_to_each<MPI_Aint>(), from = c.bytes_from_each<MPI_Aint>();
  c.make(PETRI_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw), c.sent(to.total), to.counts, to.displacements,
         c.types(c.send_type, c.destinations), c.room(from.total), from.counts, from.displacements,
         c.types(c.recv_type, c.sources), c.comm);
}

template <void (*call)(Call&)>
void perform(Replayer& replayer, const Event& event) {
  Call described(replayer, event);
  call(described);
}

constexpr std::array kTable{
#define PETRI_ALL_FORMS(name)                                                      \
  PerformerRow{Op::name, perform<name>}, PerformerRow{Op::i##name, perform<name>}, \
      PerformerRow{Op::name##_init, perform<name>}
    PETRI_ALL_FORMS(barrier),
    PETRI_ALL_FORMS(bcast),
    PETRI_ALL_FORMS(reduce),
    PETRI_ALL_FORMS(allreduce),
    PETRI_ALL_FORMS(gather),
    PETRI_ALL_FORMS(gatherv),
    PETRI_ALL_FORMS(scatter),
    PETRI_ALL_FORMS(scatterv),
    PETRI_ALL_FORMS(allgather),
    PETRI_ALL_FORMS(allgatherv),
    PETRI_ALL_FORMS(alltoall),
    PETRI_ALL_FORMS(alltoallv),
    PETRI_ALL_FORMS(alltoallw),
    PETRI_ALL_FORMS(reduce_scatter),
    PETRI_ALL_FORMS(reduce_scatter_block),
    PETRI_ALL_FORMS(scan),
    PETRI_ALL_FORMS(exscan),
    PETRI_ALL_FORMS(neighbor_allgather),
    PETRI_ALL_FORMS(neighbor_allgatherv),
    PETRI_ALL_FORMS(neighbor_alltoall),
    PETRI_ALL_FORMS(neighbor_alltoallv),
    PETRI_ALL_FORMS(neighbor_alltoallw),
#undef PETRI_ALL_FORMS
};

}  // namespace

std::span<const PerformerRow> collective_table() {
  return kTable;
}

}  // namespace petri

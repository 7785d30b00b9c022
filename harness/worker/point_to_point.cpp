// Sends and receives (MPI 4.1, chapter 3).
#include <array>

#include "harness/worker/perform.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

// A receive of unknown size must not fail because of that: it has room for this much.
constexpr int kRoom = 1 << 20;

int or_else(std::int64_t value, std::int64_t other, int standard) {
  const std::int64_t known = value != kUnknownCount ? value : other;
  return known == kUnknownCount ? standard : static_cast<int>(known);
}

ElementType or_else(ElementType value, ElementType other) {
  return value != ElementType::unknown ? value : other;
}

std::int32_t or_else(std::int32_t value, std::int32_t other) {
  return value != kUnset ? value : other;
}

Shape sent(const Event& event) {
  return {or_else(event.extras->sendcount, event.count, 1), or_else(event.extras->sendtype, event.dtype)};
}

Shape received(const Event& event) {
  const ElementType type = or_else(event.extras->recvtype, event.dtype);
  const int room = kRoom / static_cast<int>(size_of(type) == 0 ? sizeof(std::int32_t) : size_of(type));
  return {or_else(event.extras->recvcount, event.count, room), type};
}

Bytes bytes_for(Shape shape) {
  const std::size_t size = size_of(shape.type) == 0 ? sizeof(std::int32_t) : size_of(shape.type);
  return Bytes(size * static_cast<std::size_t>(shape.count));
}

Bytes bytes_sent(const Replayer& replayer, const Event& event, Shape shape) {
  return payload_of(event, replayer.rank(), shape.type, static_cast<std::size_t>(shape.count));
}

std::int32_t source_of(const Replayer& replayer, const Event& event, std::int32_t peer) {
  const bool forced = replayer.forces_order() && peer == kAny && event.matched != kUnset;
  return mpi_rank(forced ? event.matched : peer);
}

using SendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using IsendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

template <SendCall call>
void perform_send(Replayer& replayer, const Event& event) {
  const Shape shape = sent(event);
  const Bytes& data = replayer.scratch(bytes_sent(replayer, event, shape));
  call(data.data(), shape.count, mpi_type(shape.type), mpi_rank(event.peer), mpi_tag(event.tag),
       replayer.comm_of(event));
}

template <IsendCall call>
void perform_isend(Replayer& replayer, const Event& event) {
  const Shape shape = sent(event);
  Bytes data = bytes_sent(replayer, event, shape);
  call(data.data(), shape.count, mpi_type(shape.type), mpi_rank(event.peer), mpi_tag(event.tag),
       replayer.comm_of(event), &replayer.request(event.request));
  replayer.keep(event.request, std::move(data));
}

void perform_recv(Replayer& replayer, const Event& event) {
  const Shape shape = received(event);
  Bytes& data = replayer.scratch(bytes_for(shape));
  MPI_Recv(data.data(), shape.count, mpi_type(shape.type), source_of(replayer, event, event.peer), mpi_tag(event.tag),
           replayer.comm_of(event), MPI_STATUS_IGNORE);
}

void perform_irecv(Replayer& replayer, const Event& event) {
  const Shape shape = received(event);
  Bytes data = bytes_for(shape);
  MPI_Irecv(data.data(), shape.count, mpi_type(shape.type), source_of(replayer, event, event.peer), mpi_tag(event.tag),
            replayer.comm_of(event), &replayer.request(event.request));
  replayer.keep(event.request, std::move(data));
}

void perform_mrecv(Replayer& replayer, const Event& event) {
  const Shape shape = received(event);
  Bytes& data = replayer.scratch(bytes_for(shape));
  MPI_Mrecv(data.data(), shape.count, mpi_type(shape.type), &replayer.message(event), MPI_STATUS_IGNORE);
}

void perform_imrecv(Replayer& replayer, const Event& event) {
  const Shape shape = received(event);
  Bytes data = bytes_for(shape);
  MPI_Imrecv(data.data(), shape.count, mpi_type(shape.type), &replayer.message(event),
             &replayer.request(event.request));
  replayer.keep(event.request, std::move(data));
}

void perform_sendrecv(Replayer& replayer, const Event& event) {
  const EventExtras& extras = event.extras.get();
  const Shape out = sent(event);
  const Shape in = received(event);
  const Bytes& data = replayer.scratch(bytes_sent(replayer, event, out));
  Bytes& room = replayer.scratch(bytes_for(in));
  MPI_Sendrecv(data.data(), out.count, mpi_type(out.type), mpi_rank(or_else(extras.sendpeer, event.peer)),
               mpi_tag(or_else(extras.sendtag, event.tag)), room.data(), in.count, mpi_type(in.type),
               source_of(replayer, event, or_else(extras.recvpeer, event.peer)),
               mpi_tag(or_else(extras.recvtag, event.tag)), replayer.comm_of(event), MPI_STATUS_IGNORE);
}

void perform_sendrecv_replace(Replayer& replayer, const Event& event) {
  const EventExtras& extras = event.extras.get();
  const Shape shape = sent(event);
  Bytes& data = replayer.scratch(bytes_sent(replayer, event, shape));
  MPI_Sendrecv_replace(data.data(), shape.count, mpi_type(shape.type), mpi_rank(or_else(extras.sendpeer, event.peer)),
                       mpi_tag(or_else(extras.sendtag, event.tag)),
                       source_of(replayer, event, or_else(extras.recvpeer, event.peer)),
                       mpi_tag(or_else(extras.recvtag, event.tag)), replayer.comm_of(event), MPI_STATUS_IGNORE);
}

constexpr std::array kTable{
    PerformerRow{Op::send, perform_send<MPI_Send>},
    PerformerRow{Op::bsend, perform_send<MPI_Bsend>},
    PerformerRow{Op::rsend, perform_send<MPI_Rsend>},
    PerformerRow{Op::ssend, perform_send<MPI_Ssend>},
    PerformerRow{Op::isend, perform_isend<MPI_Isend>},
    PerformerRow{Op::ibsend, perform_isend<MPI_Ibsend>},
    PerformerRow{Op::irsend, perform_isend<MPI_Irsend>},
    PerformerRow{Op::issend, perform_isend<MPI_Issend>},
    PerformerRow{Op::recv, perform_recv},
    PerformerRow{Op::irecv, perform_irecv},
    PerformerRow{Op::mrecv, perform_mrecv},
    PerformerRow{Op::imrecv, perform_imrecv},
    PerformerRow{Op::sendrecv, perform_sendrecv},
    PerformerRow{Op::sendrecv_replace, perform_sendrecv_replace},
};

}  // namespace

std::span<const PerformerRow> point_to_point_table() {
  return kTable;
}

}  // namespace petri

// Sends and receives (MPI 4.1, chapter 3).
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

using SendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using IsendCall = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
using IrecvCall = int (*)(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

template <SendCall call>
void perform_send(Replayer& replayer, const Event& event) {
  const Shape shape = sent_shape(event);
  call(bytes_to_send(replayer, event, shape), shape.count, mpi_type(shape.type), mpi_rank(event.peer),
       mpi_tag(event.tag), replayer.comm_of(event));
}

// Also the making of a persistent request, which has the same arguments.
template <IsendCall call>
void perform_isend(Replayer& replayer, const Event& event) {
  const Shape shape = sent_shape(event);
  call(bytes_to_send(replayer, event, shape), shape.count, mpi_type(shape.type), mpi_rank(event.peer),
       mpi_tag(event.tag), replayer.comm_of(event), &replayer.request(event.request));
}

void perform_recv(Replayer& replayer, const Event& event) {
  const Shape shape = received_shape(event);
  MPI_Recv(room_for(replayer, event, shape), shape.count, mpi_type(shape.type), mpi_source(replayer, event, event.peer),
           mpi_tag(event.tag), replayer.comm_of(event), MPI_STATUS_IGNORE);
}

template <IrecvCall call>
void perform_irecv(Replayer& replayer, const Event& event) {
  const Shape shape = received_shape(event);
  call(room_for(replayer, event, shape), shape.count, mpi_type(shape.type), mpi_source(replayer, event, event.peer),
       mpi_tag(event.tag), replayer.comm_of(event), &replayer.request(event.request));
}

void perform_mrecv(Replayer& replayer, const Event& event) {
  const Shape shape = received_shape(event);
  MPI_Mrecv(room_for(replayer, event, shape), shape.count, mpi_type(shape.type), &replayer.message(event),
            MPI_STATUS_IGNORE);
}

void perform_imrecv(Replayer& replayer, const Event& event) {
  const Shape shape = received_shape(event);
  MPI_Imrecv(room_for(replayer, event, shape), shape.count, mpi_type(shape.type), &replayer.message(event),
             &replayer.request(event.request));
}

void perform_sendrecv(Replayer& replayer, const Event& event) {
  const Ends ends = ends_of(replayer, event);
  const Shape out = sent_shape(event), in = received_shape(event);
  MPI_Sendrecv(bytes_to_send(replayer, event, out), out.count, mpi_type(out.type), ends.destination, ends.send_tag,
               room_for(replayer, event, in), in.count, mpi_type(in.type), ends.source, ends.recv_tag,
               replayer.comm_of(event), MPI_STATUS_IGNORE);
}

void perform_sendrecv_replace(Replayer& replayer, const Event& event) {
  const Ends ends = ends_of(replayer, event);
  const Shape shape = sent_shape(event);
  MPI_Sendrecv_replace(bytes_to_send(replayer, event, shape), shape.count, mpi_type(shape.type), ends.destination,
                       ends.send_tag, ends.source, ends.recv_tag, replayer.comm_of(event), MPI_STATUS_IGNORE);
}

void perform_start(Replayer& replayer, const Event& event) {
  MPI_Start(&replayer.request(event.request));
}

void perform_startall(Replayer& replayer, const Event& event) {
  std::vector<MPI_Request> handles;
  for (const std::uint32_t number : event.extras.requests()) handles.push_back(replayer.request(number));
  MPI_Startall(static_cast<int>(handles.size()), handles.data());
  // A start may change the handle, as Open MPI's does for a buffered send that is still under way.
  for (std::size_t i = 0; i < handles.size(); ++i) replayer.request(event.extras.requests()[i]) = handles[i];
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
    PerformerRow{Op::send_init, perform_isend<MPI_Send_init>},
    PerformerRow{Op::bsend_init, perform_isend<MPI_Bsend_init>},
    PerformerRow{Op::rsend_init, perform_isend<MPI_Rsend_init>},
    PerformerRow{Op::ssend_init, perform_isend<MPI_Ssend_init>},
    PerformerRow{Op::recv, perform_recv},
    PerformerRow{Op::irecv, perform_irecv<MPI_Irecv>},
    PerformerRow{Op::recv_init, perform_irecv<MPI_Recv_init>},
    PerformerRow{Op::mrecv, perform_mrecv},
    PerformerRow{Op::imrecv, perform_imrecv},
    PerformerRow{Op::sendrecv, perform_sendrecv},
    PerformerRow{Op::sendrecv_replace, perform_sendrecv_replace},
    PerformerRow{Op::start, perform_start},
    PerformerRow{Op::startall, perform_startall},
};

}  // namespace

std::span<const PerformerRow> point_to_point_table() {
  return kTable;
}

}  // namespace petri

// Calls that are new in MPI 4.0. Built where the MPI library has them: Open MPI from 5.0.
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/types.hpp"

namespace petri {
namespace {

void perform_isendrecv(Replayer& replayer, const Event& event) {
  const Ends ends = ends_of(replayer, event);
  const Shape out = sent_shape(event), in = received_shape(event);
  MPI_Isendrecv(bytes_to_send(replayer, event, out), out.count, mpi_type(out.type), ends.destination, ends.send_tag,
                room_for(replayer, event, in), in.count, mpi_type(in.type), ends.source, ends.recv_tag,
                replayer.comm_of(event), &replayer.request(event.request));
}

void perform_isendrecv_replace(Replayer& replayer, const Event& event) {
  const Ends ends = ends_of(replayer, event);
  const Shape shape = sent_shape(event);
  MPI_Isendrecv_replace(bytes_to_send(replayer, event, shape), shape.count, mpi_type(shape.type), ends.destination,
                        ends.send_tag, ends.source, ends.recv_tag, replayer.comm_of(event),
                        &replayer.request(event.request));
}

void perform_idup_with_info(Replayer& replayer, const Event& event) {
  MPI_Comm_idup_with_info(replayer.comm_of(event), MPI_INFO_NULL, replayer.new_comm_of(event),
                          &replayer.request(event.request));
}

constexpr std::array kTable{
    PerformerRow{Op::isendrecv, perform_isendrecv},
    PerformerRow{Op::isendrecv_replace, perform_isendrecv_replace},
    PerformerRow{Op::comm_idup_with_info, perform_idup_with_info},
};

}  // namespace

std::span<const PerformerRow> mpi4_table() {
  return kTable;
}

}  // namespace petri

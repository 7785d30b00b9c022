// Calls that are new in MPI 4.0. Built where the MPI library has them: Open MPI from 5.0.
#include <algorithm>
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/group.hpp"
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

// Partitioned messages (section 4.2). `count` is of one partition.
int partitions_of(const Event& event) {
  return event.extras.partitions().value_or(1);
}

Shape all_partitions(const Event& event, Shape each) {
  return {each.count * partitions_of(event), each.type};
}

void perform_psend_init(Replayer& replayer, const Event& event) {
  const Shape each = sent_shape(event);
  MPI_Psend_init(bytes_to_send(replayer, event, all_partitions(event, each)), partitions_of(event), each.count,
                 mpi_type(each.type), mpi_rank(event.peer), mpi_tag(event.tag), replayer.comm_of(event), MPI_INFO_NULL,
                 &replayer.request(event.request));
}

void perform_precv_init(Replayer& replayer, const Event& event) {
  const Shape each = sent_shape(event);  // one element a partition where it is not known: both sides must fit
  MPI_Precv_init(room_for(replayer, event, all_partitions(event, each)), partitions_of(event), each.count,
                 mpi_type(each.type), mpi_rank(event.peer), mpi_tag(event.tag), replayer.comm_of(event), MPI_INFO_NULL,
                 &replayer.request(event.request));
}

void perform_pready(Replayer& replayer, const Event& event) {
  MPI_Pready(event.extras.index().value_or(0), replayer.request(event.request));
}

// The partitions of a range are listed as those of a list are.
void perform_pready_range(Replayer& replayer, const Event& event) {
  const std::vector<std::uint32_t>& listed = event.extras.indices();
  if (listed.empty()) return;
  MPI_Pready_range(static_cast<int>(listed.front()), static_cast<int>(listed.back()), replayer.request(event.request));
}

void perform_pready_list(Replayer& replayer, const Event& event) {
  std::vector<int> listed(event.extras.indices().begin(), event.extras.indices().end());
  MPI_Pready_list(static_cast<int>(listed.size()), listed.data(), replayer.request(event.request));
}

void perform_parrived(Replayer& replayer, const Event& event) {
  poll_as_recorded(replayer, event, [&] {
    int flag = 0;
    MPI_Parrived(replayer.request(event.request), event.extras.index().value_or(0), &flag);
    return flag != 0;
  });
}

// Communicators without a parent (sections 7.4.2 and 7.6.2): their members are found by a name alone.
std::vector<int> members_of(const Replayer& replayer, const Event& event) {
  if (!event.extras.ranks().empty()) return {event.extras.ranks().begin(), event.extras.ranks().end()};
  if (event.extras.new_comm() == kNoComm) return {};
  const Communicator& made = replayer.scenario().comms[static_cast<std::size_t>(event.extras.new_comm())];
  const bool here = std::find(made.ranks.begin(), made.ranks.end(), replayer.rank()) != made.ranks.end();
  return here || !made.is_inter() ? made.ranks : made.remote;
}

void perform_create_from_group(Replayer& replayer, const Event& event) {
  const Group group(MPI_COMM_WORLD, members_of(replayer, event));
  MPI_Comm_create_from_group(group.get(), event.extras.value().c_str(), MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                             replayer.new_comm_of(event));
}

constexpr std::array kTable{
    PerformerRow{Op::isendrecv, perform_isendrecv},
    PerformerRow{Op::isendrecv_replace, perform_isendrecv_replace},
    PerformerRow{Op::comm_idup_with_info, perform_idup_with_info},
    PerformerRow{Op::psend_init, perform_psend_init},
    PerformerRow{Op::precv_init, perform_precv_init},
    PerformerRow{Op::pready, perform_pready},
    PerformerRow{Op::pready_range, perform_pready_range},
    PerformerRow{Op::pready_list, perform_pready_list},
    PerformerRow{Op::parrived, perform_parrived},
    PerformerRow{Op::comm_create_from_group, perform_create_from_group},
};

}  // namespace

std::span<const PerformerRow> mpi4_table() {
  return kTable;
}

}  // namespace petri

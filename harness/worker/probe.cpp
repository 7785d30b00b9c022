// Probes, plain and matching (MPI 4.1, section 3.8).
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"

namespace petri {
namespace {

void perform_probe(Replayer& replayer, const Event& event) {
  MPI_Probe(mpi_source(replayer, event, event.peer), mpi_tag(event.tag), replayer.comm_of(event), MPI_STATUS_IGNORE);
}

void perform_iprobe(Replayer& replayer, const Event& event) {
  poll_as_recorded(replayer, event, [&] {
    int found = 0;
    MPI_Iprobe(mpi_source(replayer, event, event.peer), mpi_tag(event.tag), replayer.comm_of(event), &found,
               MPI_STATUS_IGNORE);
    return found != 0;
  });
}

void perform_mprobe(Replayer& replayer, const Event& event) {
  MPI_Mprobe(mpi_source(replayer, event, event.peer), mpi_tag(event.tag), replayer.comm_of(event),
             &replayer.message(event), MPI_STATUS_IGNORE);
}

void perform_improbe(Replayer& replayer, const Event& event) {
  poll_as_recorded(replayer, event, [&] {
    int found = 0;
    MPI_Improbe(mpi_source(replayer, event, event.peer), mpi_tag(event.tag), replayer.comm_of(event), &found,
                &replayer.message(event), MPI_STATUS_IGNORE);
    return found != 0;
  });
}

constexpr std::array kTable{
    PerformerRow{Op::probe, perform_probe},
    PerformerRow{Op::iprobe, perform_iprobe},
    PerformerRow{Op::mprobe, perform_mprobe},
    PerformerRow{Op::improbe, perform_improbe},
};

}  // namespace

std::span<const PerformerRow> probe_table() {
  return kTable;
}

}  // namespace petri

// Communicators between two groups (MPI 4.1, section 7.6), and those made without a parent.
#include <array>

#include "harness/worker/arguments.hpp"
#include "harness/worker/perform.hpp"

namespace petri {
namespace {

void perform_create(Replayer& replayer, const Event& event) {
  // Only a leader's word counts on where the remote leader is; who did not record it is none (plan/refusal.cpp).
  const std::int32_t bridge = replayer.scenario().find_comm(event.extras.remote());
  const bool leader = bridge != kNoComm && event.peer != kUnset;
  MPI_Intercomm_create(replayer.comm_of(event), event.root == kUnset ? 0 : event.root,
                       leader ? replayer.comm(bridge) : MPI_COMM_NULL, leader ? event.peer : 0, mpi_tag(event.tag),
                       replayer.new_comm_of(event));
}

void perform_merge(Replayer& replayer, const Event& event) {
  MPI_Intercomm_merge(replayer.comm_of(event), event.extras.key().value_or(0), replayer.new_comm_of(event));
}

constexpr std::array kTable{
    PerformerRow{Op::intercomm_create, perform_create},
    PerformerRow{Op::intercomm_merge, perform_merge},
};

}  // namespace

std::span<const PerformerRow> intercommunicator_table() {
  return kTable;
}

}  // namespace petri

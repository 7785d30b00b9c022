#include "harness/worker/plan/operations.hpp"

namespace petri {

using enum Op;

std::string_view reason_against(Op op) {
  if (kind_of(op) == OpKind::device) return "a replay has no device streams";
  switch (op) {
    case comm_spawn:
    case comm_spawn_multiple:
    case comm_accept:
    case comm_connect: return "all processes of a replay start together";
    case intercomm_create_from_groups: return "a replay makes intercommunicators from communicators only";
    case comm_init_rank:
    case comm_init_all:
    case comm_finalize:
    case comm_destroy:
    case comm_abort:
    case group_start:
    case group_end: return "it is NCCL's, and this worker replays MPI";
    default: return "";
  }
}

bool library_lacks(Op op) {
  if (PETRI_MPI_HAS_4_0_CALLS != 0) return false;
  switch (op) {
    case isendrecv:
    case isendrecv_replace:
    case comm_idup_with_info:
    case comm_create_from_group:
    case psend_init:
    case precv_init:
    case pready:
    case pready_range:
    case pready_list:
    case parrived: return true;
    default: return false;
  }
}

}  // namespace petri

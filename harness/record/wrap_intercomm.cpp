// Intercommunicators, MPI 4.1 section 7.6.
#include "harness/record/creation.hpp"

using namespace petri;
using namespace petri::record;

// Matched by the leaders and the tag, not by position. The peer communicator and the remote leader are significant at
// the local leader only.
PETRI_MPI(Intercomm_create)
(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newintercomm) {
  Call call(Op::intercomm_create, PETRI_SITE, local_comm);
  if (call.active()) {
    call.slot().matched = local_leader;
    call.slot().tag = tag;
    if (call.comm() != nullptr && call.comm()->rank == local_leader) {
      const CommEntry* peer = comm_entry(peer_comm);
      call.slot().peer = remote_leader;
      if (peer != nullptr) call.slot().count = peer->id;
    }
  }
  call.begin();
  const int status = real::Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm);
  return settle_by_tag(call, status, newintercomm, tag);
}

PETRI_MPI(Intercomm_merge)(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
  Call call(Op::intercomm_merge, PETRI_SITE, intercomm);
  describe_creation(call);
  if (call.active()) call.slot().tag = high != 0 ? 1 : 0;
  call.begin();
  meet(call);
  return settle(call, real::Intercomm_merge(intercomm, high, newintracomm), newintracomm);
}

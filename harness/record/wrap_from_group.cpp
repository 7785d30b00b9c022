// Communicators made from groups alone, MPI 4.1 sections 7.4.2 and 7.6.2: matched by groups and a text. Built where the
// MPI library has them. In a record they stand on the world, in whose ranks groups are named.
#include "harness/record/creation.hpp"
#include "harness/record/handles.hpp"
#include "harness/record/real_mpi4.hpp"

using namespace petri;
using namespace petri::record;

PETRI_MPI(Comm_create_from_group)
(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* newcomm) {
  Call call(Op::comm_create_from_group, PETRI_SITE, handles.world);
  describe_members(call, group);
  call.text(tag);
  call.begin();
  return settle_by_tag(call, real::Comm_create_from_group(group, tag, info, handler, newcomm), newcomm, 0, tag);
}

PETRI_MPI(Intercomm_create_from_groups)
(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char* tag, MPI_Info info,
 MPI_Errhandler handler, MPI_Comm* newintercomm) {
  Call call(Op::intercomm_create_from_groups, PETRI_SITE, handles.world);
  describe_members(call, local_group);
  call.text(tag);
  call.begin();
  const int status = real::Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, tag,
                                                        info, handler, newintercomm);
  return settle_by_tag(call, status, newintercomm, 0, tag);
}

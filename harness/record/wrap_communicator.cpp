// Making and freeing communicators, MPI 4.1 section 7.4.
#include "harness/record/call_forms.hpp"
#include "harness/record/creation.hpp"
#include "harness/record/handles.hpp"

using namespace petri;
using namespace petri::record;

namespace {

void describe_split(Call& call, int color, int key) {
  if (!call.active()) return;
  call.slot().peer = color == MPI_UNDEFINED ? kNull : color;
  call.slot().tag = key;
}

}  // namespace

PETRI_MPI(Comm_dup)(MPI_Comm comm, MPI_Comm* newcomm) {
  return create(Op::comm_dup, PETRI_SITE, comm, newcomm, [=] { return real::Comm_dup(comm, newcomm); });
}

PETRI_MPI(Comm_dup_with_info)(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
  return create(Op::comm_dup_with_info, PETRI_SITE, comm, newcomm,
                [=] { return real::Comm_dup_with_info(comm, info, newcomm); });
}

PETRI_MPI(Comm_idup)(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
  return nonblocking_dup(Op::comm_idup, PETRI_SITE, comm, newcomm, request,
                         [=] { return real::Comm_idup(comm, newcomm, request); });
}

PETRI_MPI(Comm_split)(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  Call call(Op::comm_split, PETRI_SITE, comm);
  describe_creation(call);
  describe_split(call, color, key);
  call.begin();
  meet(call);
  const int status = real::Comm_split(comm, color, key, newcomm);
  return settle(call, status, newcomm);
}

PETRI_MPI(Comm_split_type)(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  Call call(Op::comm_split_type, PETRI_SITE, comm);
  describe_creation(call);
  // The number of a split type is the library's own; only MPI_UNDEFINED means something elsewhere.
  describe_split(call, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : kUnset, key);
  call.begin();
  meet(call);
  const int status = real::Comm_split_type(comm, split_type, key, info, newcomm);
  return settle(call, status, newcomm);
}

PETRI_MPI(Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Call call(Op::comm_create, PETRI_SITE, comm);
  describe_creation(call);
  describe_members(call, group);
  call.begin();
  meet(call);
  const int status = real::Comm_create(comm, group, newcomm);
  return settle(call, status, newcomm);
}

// Matched by group and tag, not by position (MPI 4.1, section 7.4.2).
PETRI_MPI(Comm_create_group)(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  Call call(Op::comm_create_group, PETRI_SITE, comm);
  if (call.active()) call.slot().tag = tag;
  describe_members(call, group);
  call.begin();
  return settle_by_tag(call, real::Comm_create_group(comm, group, tag, newcomm), newcomm, tag);
}

namespace {

template <class Free>
int free_comm(Op op, const void* site, MPI_Comm* comm, const Free& release) {
  Call call(op, site, *comm);
  call.positional();
  call.begin();
  if (call.active()) {
    meet(call);
    const Locked locked;
    forget_comm(*comm);
  }
  return call.end(release());
}

}  // namespace

PETRI_MPI(Comm_free)(MPI_Comm* comm) {
  return free_comm(Op::comm_free, PETRI_SITE, comm, [=] { return real::Comm_free(comm); });
}

PETRI_MPI(Comm_disconnect)(MPI_Comm* comm) {
  return free_comm(Op::comm_disconnect, PETRI_SITE, comm, [=] { return real::Comm_disconnect(comm); });
}

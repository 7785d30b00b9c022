// Making and freeing communicators, MPI 4.1 sections 7.4 and 8.5.
#include <cstdlib>

#include "harness/record/handles.hpp"
#include "harness/record/recorder.hpp"
#include "harness/record/shared_arguments.hpp"

using namespace petri;
using namespace petri::record;

namespace {

void describe_split(Call& call, int color, int key) {
  if (!call.active()) return;
  call.slot().peer = color == MPI_UNDEFINED ? kNull : color;
  call.slot().tag = key;
}

void describe_members(Call& call, MPI_Group group) {
  if (!call.active() || call.comm() == nullptr) return;
  int size = 0;
  real::Group_size(group, &size);
  auto* in_group = static_cast<int*>(std::malloc(2 * sizeof(int) * static_cast<std::size_t>(size > 0 ? size : 1)));
  if (in_group == nullptr) return;
  int* in_comm = in_group + size;
  for (int i = 0; i < size; ++i) in_group[i] = i;
  MPI_Group all;
  real::Comm_group(call.comm()->handle, &all);
  real::Group_translate_ranks(group, size, in_group, all, in_comm);
  real::Group_free(&all);
  call.list(Part::ranks, in_comm, size);
  std::free(in_group);
}

// Notes what the creation made, between the MPI call and the end of the event.
int settle(Call& call, int status, const MPI_Comm* made, std::int32_t ordinal, int tag) {
  if (!call.active() || status != MPI_SUCCESS || call.comm() == nullptr) return call.end(status);
  const Locked locked;
  if (*made == handles.no_comm) call.slot().flags |= kNoComms;
  CommEntry* entry = register_created(*made, *call.comm(), static_cast<Op>(call.slot().op), ordinal, tag);
  if (entry != nullptr) {
    call.slot().result = entry->id;
    make_shadow(*entry);
  }
  return call.end(status);
}

// A creation with nothing to record but its position.
template <class Create>
int create(Op op, const void* site, MPI_Comm parent, const MPI_Comm* made, const Create& make) {
  Call call(op, site, parent);
  describe_creation(call);
  call.begin();
  const int status = make();
  return settle(call, status, made, call.active() ? static_cast<std::int32_t>(call.slot().count) : 0, 0);
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
  const int status = real::Comm_split(comm, color, key, newcomm);
  return settle(call, status, newcomm, call.active() ? static_cast<std::int32_t>(call.slot().count) : 0, 0);
}

PETRI_MPI(Comm_split_type)(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  Call call(Op::comm_split_type, PETRI_SITE, comm);
  describe_creation(call);
  // The number of a split type is the library's own; only MPI_UNDEFINED means something elsewhere.
  describe_split(call, split_type == MPI_UNDEFINED ? MPI_UNDEFINED : kUnset, key);
  call.begin();
  const int status = real::Comm_split_type(comm, split_type, key, info, newcomm);
  return settle(call, status, newcomm, call.active() ? static_cast<std::int32_t>(call.slot().count) : 0, 0);
}

PETRI_MPI(Comm_create)(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  Call call(Op::comm_create, PETRI_SITE, comm);
  describe_creation(call);
  describe_members(call, group);
  call.begin();
  const int status = real::Comm_create(comm, group, newcomm);
  return settle(call, status, newcomm, call.active() ? static_cast<std::int32_t>(call.slot().count) : 0, 0);
}

// Matched by group and tag, not by position (MPI 4.1, section 7.4.2).
PETRI_MPI(Comm_create_group)(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
  Call call(Op::comm_create_group, PETRI_SITE, comm);
  if (call.active()) call.slot().tag = tag;
  describe_members(call, group);
  call.begin();
  return settle(call, real::Comm_create_group(comm, group, tag, newcomm), newcomm, -1, tag);
}

PETRI_MPI(Cart_create)
(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm) {
  return create(Op::cart_create, PETRI_SITE, comm, newcomm,
                [=] { return real::Cart_create(comm, ndims, dims, periods, reorder, newcomm); });
}

PETRI_MPI(Cart_sub)(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
  return create(Op::cart_sub, PETRI_SITE, comm, newcomm, [=] { return real::Cart_sub(comm, remain_dims, newcomm); });
}

PETRI_MPI(Graph_create)
(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm) {
  return create(Op::graph_create, PETRI_SITE, comm, newcomm,
                [=] { return real::Graph_create(comm, nnodes, index, edges, reorder, newcomm); });
}

PETRI_MPI(Dist_graph_create)
(MPI_Comm comm, int n, const int nodes[], const int degrees[], const int targets[], const int weights[], MPI_Info info,
 int reorder, MPI_Comm* newcomm) {
  return create(Op::dist_graph_create, PETRI_SITE, comm, newcomm, [=] {
    return real::Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder, newcomm);
  });
}

PETRI_MPI(Dist_graph_create_adjacent)
(MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[],
 const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm) {
  return create(Op::dist_graph_create_adjacent, PETRI_SITE, comm, newcomm, [=] {
    return real::Dist_graph_create_adjacent(comm, indegree, sources, sourceweights, outdegree, destinations,
                                            destweights, info, reorder, newcomm);
  });
}

namespace {

template <class Free>
int free_comm(Op op, const void* site, MPI_Comm* comm, const Free& release) {
  Call call(op, site, *comm);
  call.positional();
  call.begin();
  if (call.active()) {
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

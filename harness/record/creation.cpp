#include "harness/record/creation.hpp"

#include <cstdlib>

#include "harness/record/handles.hpp"

namespace petri::record {

void describe_members(Call& call, MPI_Group members, MPI_Group of) {
  if (!call.active()) return;
  int size = 0;
  real::Group_size(members, &size);
  auto* in_group = static_cast<int*>(std::malloc(2 * sizeof(int) * static_cast<std::size_t>(size > 0 ? size : 1)));
  if (in_group == nullptr) return;
  int* in_other = in_group + size;
  for (int i = 0; i < size; ++i) in_group[i] = i;
  real::Group_translate_ranks(members, size, in_group, of, in_other);
  call.list(Part::ranks, in_other, size);
  std::free(in_group);
}

void describe_members(Call& call, MPI_Group members) {
  if (!call.active() || call.comm() == nullptr) return;
  MPI_Group all;
  real::Comm_group(call.comm()->handle, &all);
  describe_members(call, members, all);
  real::Group_free(&all);
}

namespace {

int settle(Call& call, int status, const MPI_Comm* made, std::int32_t ordinal, int tag, const char* name) {
  if (!call.active() || status != MPI_SUCCESS || call.comm() == nullptr) return call.end(status);
  const Locked locked;
  if (*made == handles.no_comm) call.slot().flags |= kNoComms;
  const auto op = static_cast<Op>(call.slot().op);
  if (CommEntry* entry = register_created(*made, *call.comm(), op, ordinal, tag, name)) call.slot().result = entry->id;
  return call.end(status);
}

}  // namespace

int settle(Call& call, int status, const MPI_Comm* made) {
  return settle(call, status, made, call.active() ? static_cast<std::int32_t>(call.slot().count) : 0, 0, nullptr);
}

int settle_by_tag(Call& call, int status, const MPI_Comm* made, int tag, const char* name) {
  return settle(call, status, made, -1, tag, name);
}

}  // namespace petri::record

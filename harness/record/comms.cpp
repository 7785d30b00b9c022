#include "harness/record/comms.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/record/handles.hpp"
#include "harness/record/pointer_map.hpp"
#include "harness/record/recorder.hpp"

namespace petri::record {

CommEntry* last_comm;

namespace {

PointerMap<CommEntry*> entries;
MPI_Group world_group;
std::int32_t next_id = kSelfComm + 1;

CommEntry* add_entry(MPI_Comm handle, std::int32_t id) {
  auto* entry = static_cast<CommEntry*>(std::calloc(1, sizeof(CommEntry)));
  if (entry == nullptr || entries.insert(key_of(handle), entry) == nullptr) return nullptr;
  entry->handle = handle;
  entry->id = id;
  real::Comm_rank(handle, &entry->rank);
  real::Comm_size(handle, &entry->size);
  return entry;
}

// World ranks of a communicator's members, to be freed; null when they are not to be had.
int* members_of(MPI_Comm comm, int size) {
  const auto n = static_cast<std::size_t>(size);
  auto* local = static_cast<int*>(std::malloc(2 * n * sizeof(int)));
  if (local == nullptr) return nullptr;
  int* global = local + n;
  for (int i = 0; i < size; ++i) local[i] = i;
  MPI_Group group;
  real::Comm_group(comm, &group);
  real::Group_translate_ranks(group, size, local, world_group, global);
  real::Group_free(&group);
  for (int i = 0; i < size; ++i) local[i] = global[i];
  return local;
}

bool same_members(MPI_Comm a, MPI_Comm b) {
  int result = MPI_UNEQUAL;
  return real::Comm_compare(a, b, &result) == MPI_SUCCESS && (result == MPI_CONGRUENT || result == MPI_IDENT);
}

void write_comm_fact(CommFact fact, MPI_Comm comm, bool list_members) {
  int* members = list_members ? members_of(comm, fact.size) : nullptr;
  fact.listed = members != nullptr ? fact.size : 0;
  write_fact(FactKind::comm, &fact, sizeof fact, members, static_cast<std::size_t>(fact.listed) * sizeof(int));
  std::free(members);
}

CommFact fact_of(const CommEntry& entry, CommKind kind) {
  CommFact fact{};
  fact.id = entry.id;
  fact.parent = kNoLocalComm;
  fact.ordinal = -1;
  fact.size = entry.size;
  fact.kind = kind;
  return fact;
}

CommEntry* register_unknown(MPI_Comm comm) {
  CommEntry* entry = add_entry(comm, next_id++);
  if (entry != nullptr) write_comm_fact(fact_of(*entry, CommKind::unknown), comm, false);
  return entry;
}

}  // namespace

CommEntry* find_comm(MPI_Comm comm) {
  if (comm == handles.no_comm || key_of(comm) == 0) return nullptr;
  CommEntry** known = entries.find(key_of(comm));
  CommEntry* entry = known != nullptr ? *known : register_unknown(comm);
  if (entry != nullptr) last_comm = entry;
  return entry;
}

void learn_world_comms() {
  real::Comm_group(handles.world, &world_group);
  CommEntry* world = add_entry(handles.world, kWorldComm);
  CommEntry* self = add_entry(handles.self, kSelfComm);
  if (world == nullptr || self == nullptr) return;
  state.header->world_rank.store(world->rank, std::memory_order_release);
  state.header->world_size.store(world->size, std::memory_order_release);
  write_comm_fact(fact_of(*world, CommKind::world), handles.world, false);
  write_comm_fact(fact_of(*self, CommKind::self), handles.self, true);
  make_shadow(*world);
}

CommEntry* register_created(MPI_Comm made, const CommEntry& parent, Op op, std::int32_t ordinal, int tag) {
  if (made == handles.no_comm) return nullptr;
  int inter = 0;
  real::Comm_test_inter(made, &inter);
  CommEntry* entry = add_entry(made, next_id++);
  if (entry == nullptr) return nullptr;
  CommFact fact = fact_of(*entry, inter != 0 ? CommKind::unknown : CommKind::created);
  fact.parent = parent.id;
  fact.ordinal = ordinal;
  fact.tag = tag;
  fact.op = static_cast<std::uint8_t>(op);
  write_comm_fact(fact, made, inter == 0 && !same_members(made, parent.handle));
  return entry;
}

void forget_comm(MPI_Comm comm) {
  CommEntry** known = entries.find(key_of(comm));
  if (known == nullptr) return;
  CommEntry* entry = *known;
  entries.erase(key_of(comm));
  if (last_comm == entry) last_comm = nullptr;
  if (entry->shadowed) real::Comm_free(&entry->shadow);
  std::free(entry);
}

namespace {

// For ever, but with progress for messages of earlier calls that others still wait for.
[[noreturn]] void stay(MPI_Comm comm) {
  for (;;) {
    int flag = 0;
    real::Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    usleep(1000);
  }
}

}  // namespace

void meet_in_shadow(const CommEntry* comm, Op op) {
  if (comm == nullptr || !comm->shadowed) return;
  const auto mine = static_cast<unsigned char>(op);
  auto* all = static_cast<unsigned char*>(std::calloc(static_cast<std::size_t>(comm->size), 1));
  if (all == nullptr) return;
  real::Allgather(&mine, 1, handles.byte, all, 1, handles.byte, comm->shadow);
  const bool same = std::all_of(all, all + comm->size, [mine](unsigned char other) { return other == mine; });
  std::free(all);
  if (!same) stay(comm->shadow);
}

void make_shadow(CommEntry& comm) {
  if (state.strict) comm.shadowed = real::Comm_dup(comm.handle, &comm.shadow) == MPI_SUCCESS;
}

}  // namespace petri::record

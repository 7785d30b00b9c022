#include "harness/record/comms.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "harness/record/handles.hpp"
#include "harness/record/pointer_map.hpp"
#include "harness/record/recorder.hpp"
#include "harness/record/topology.hpp"

namespace petri::record {

CommEntry* last_comm;

namespace {

constexpr std::uint64_t kNameOfWorld = 1;

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
  int inter = 0;
  real::Comm_test_inter(handle, &inter);
  entry->inter = inter != 0;
  entry->peers = entry->size;
  if (entry->inter) real::Comm_remote_size(handle, &entry->peers);
  return entry;
}

// World ranks of a group's members, MPI_UNDEFINED for those of another world; frees the group.
bool translate(MPI_Group group, int size, int* global) {
  auto* local = static_cast<int*>(std::malloc(static_cast<std::size_t>(size) * sizeof(int)));
  if (local != nullptr) {
    for (int i = 0; i < size; ++i) local[i] = i;
    real::Group_translate_ranks(group, size, local, world_group, global);
  }
  std::free(local);
  real::Group_free(&group);
  return local != nullptr;
}

// World ranks of a communicator's members, on an intercommunicator those of both groups, to be freed; null when they
// are not to be had.
int* members_of(const CommEntry& entry) {
  const int others = entry.inter ? entry.peers : 0;
  auto* members = static_cast<int*>(std::malloc(static_cast<std::size_t>(entry.size + others) * sizeof(int)));
  if (members == nullptr) return nullptr;
  MPI_Group group;
  real::Comm_group(entry.handle, &group);
  bool known = translate(group, entry.size, members);
  if (entry.inter) {
    real::Comm_remote_group(entry.handle, &group);
    known = translate(group, others, members + entry.size) && known;
  }
  if (known) return members;
  std::free(members);
  return nullptr;
}

bool same_members(MPI_Comm a, MPI_Comm b) {
  int result = MPI_UNEQUAL;
  return real::Comm_compare(a, b, &result) == MPI_SUCCESS && (result == MPI_CONGRUENT || result == MPI_IDENT);
}

// Whether the members need no list, as they are the parent's. What is made from groups may be of another session than
// the world that it stands on, and objects of two sessions must not meet in one call (MPI 4.1, section 11.3).
bool has_members_of_parent(const CommEntry& made, const CommEntry& parent, Op op) {
  return !made.inter && op != Op::comm_create_from_group && same_members(made.handle, parent.handle);
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

void write_comm_fact(CommFact fact, const int* members, const char* name) {
  const std::size_t listed = static_cast<std::size_t>(fact.listed + fact.remote_listed) * sizeof(int);
  const std::size_t named = name != nullptr ? std::strlen(name) + 1 : 0;
  auto* rest = static_cast<unsigned char*>(std::malloc(listed + named + 1));
  if (rest == nullptr) return;
  if (listed > 0) std::memcpy(rest, members, listed);
  if (named > 0) std::memcpy(rest + listed, name, named);
  write_fact(FactKind::comm, &fact, sizeof fact, rest, listed + named);
  std::free(rest);
}

CommEntry* register_unknown(MPI_Comm comm) {
  CommEntry* entry = add_entry(comm, next_id++);
  if (entry == nullptr) return nullptr;
  write_comm_fact(fact_of(*entry, CommKind::unknown), nullptr, nullptr);
  learn_topology(*entry);
  return entry;
}

bool all_in_world(const int* members, int n) {
  return std::none_of(members, members + n, [](int member) { return member == MPI_UNDEFINED; });
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
  write_comm_fact(fact_of(*world, CommKind::world), nullptr, nullptr);
  CommFact of_self = fact_of(*self, CommKind::self);
  of_self.listed = 1;
  write_comm_fact(of_self, &world->rank, nullptr);
  if (!state.strict) return;
  open_board();
  world->venue = make_venue(kNameOfWorld, members_of(*world), world->size);
  self->venue = make_venue(mixed(kNameOfWorld, static_cast<std::uint64_t>(world->rank)), members_of(*self), self->size);
}

namespace {

std::uint64_t mixed_text(std::uint64_t name, const char* text) {
  for (; text != nullptr && *text != '\0'; ++text) name = mixed(name, static_cast<unsigned char>(*text));
  return name;
}

// How often a communicator was made by the same group and tag before: no position tells those apart.
std::uint64_t times_before(std::uint64_t name) {
  static PointerMap<std::uint64_t> times;
  std::uint64_t* before = times.find(name);
  if (before != nullptr) return ++*before;
  times.insert(name, 0);
  return 0;
}

// Two communicators made it together.
bool is_between(Op op) {
  return op == Op::intercomm_create || op == Op::comm_accept || op == Op::comm_connect;
}

// Named by what all members know: the parent, the place among what it made, and who they are.
Venue venue_of_created(const CommEntry& entry, const CommEntry& parent, const CommFact& fact, const char* text) {
  if (parent.venue.name == 0) return {};
  int* members = members_of(entry);
  const std::int32_t others = entry.inter ? entry.peers : 0;
  const std::int32_t size = entry.size + others;
  if (members == nullptr || !all_in_world(members, size)) {
    std::free(members);
    return {};
  }
  // The group with the lower first rank stands in front, on both sides of an intercommunicator.
  if (others > 0 && members[entry.size] < members[0]) std::rotate(members, members + entry.size, members + size);
  const auto op = static_cast<Op>(fact.op);
  std::uint64_t name = is_between(op) ? kNameOfWorld : parent.venue.name;
  name = mixed(mixed(name, static_cast<std::uint64_t>(fact.ordinal)), static_cast<std::uint64_t>(fact.tag));
  name = mixed_text(name, text);
  for (std::int32_t i = 0; i < size; ++i) name = mixed(name, static_cast<std::uint64_t>(members[i]));
  if (fact.ordinal >= 0) return make_venue(name, members, size);
  name = mixed(name, static_cast<std::uint64_t>(op));
  name = mixed(name, times_before(name));
  return make_venue(name, members, size);
}

}  // namespace

CommEntry* register_created(MPI_Comm made, const CommEntry& parent, Op op, std::int32_t ordinal, int tag,
                            const char* name) {
  if (made == handles.no_comm) return nullptr;
  CommEntry* entry = add_entry(made, next_id++);
  if (entry == nullptr) return nullptr;
  CommFact fact = fact_of(*entry, CommKind::created);
  fact.parent = parent.id;
  fact.ordinal = ordinal;
  fact.tag = tag;
  fact.op = static_cast<std::uint8_t>(op);
  int* members = has_members_of_parent(*entry, parent, op) ? nullptr : members_of(*entry);
  const int others = entry->inter ? entry->peers : 0;
  if (members != nullptr && all_in_world(members, entry->size + others)) {
    fact.listed = entry->size;
    fact.remote_listed = others;
  } else if (members != nullptr) {
    fact.kind = CommKind::outside;
  }
  write_comm_fact(fact, members, name);
  std::free(members);
  if (state.strict) entry->venue = venue_of_created(*entry, parent, fact, name);
  learn_topology(*entry);
  return entry;
}

void forget_comm(MPI_Comm comm) {
  CommEntry** known = entries.find(key_of(comm));
  if (known == nullptr) return;
  CommEntry* entry = *known;
  entries.erase(key_of(comm));
  if (last_comm == entry) last_comm = nullptr;
  drop_venue(entry->venue);
  std::free(entry);
}

}  // namespace petri::record

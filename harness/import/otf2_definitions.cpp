#include "harness/import/otf2_definitions.hpp"

#include <fmt/format.h>
#include <otf2/OTF2_Definitions.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <set>
#include <string_view>

#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"

namespace petri {
namespace {

constexpr std::string_view kOwnPrefix = "petri.";
constexpr std::string_view kOwnCreator = "petri";

// "MPI_Send", "PMPI_Send", "MPI_Send()", "mpi_send_", "MPI_Send_c": all are send.
std::optional<Op> operation_called(std::string_view name) {
  std::string text;
  for (const char c : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  while (!text.empty() && (text.back() == ' ' || text.back() == ')' || text.back() == '(' || text.back() == '_'))
    text.pop_back();
  const std::size_t prefix = text.starts_with("pmpi_") ? 5 : text.starts_with("mpi_") ? 4 : 0;
  if (prefix == 0) return std::nullopt;
  text.erase(0, prefix);
  if (const std::optional<Op> op = op_named(text)) return op;
  if (!text.ends_with("_c")) return std::nullopt;  // the calls with large counts of MPI 4.0
  return op_named(std::string_view(text).substr(0, text.size() - 2));
}

}  // namespace

void Otf2Definitions::take(const Otf2Record& record, const std::string& payload) {
  switch (record.kind) {
    case Otf2Kind::creator:
      own_ = payload == kOwnCreator;
      names_no_requests_ = payload.starts_with("TAU");
      break;
    case Otf2Kind::clock:
      resolution_ = std::max<std::uint64_t>(1, record.x);
      offset_ = record.y;
      break;
    case Otf2Kind::text: texts_[record.a] = payload; break;
    case Otf2Kind::attribute_name:
      if (const std::string& name = text(record.b); own_ && name.starts_with(kOwnPrefix))
        attributes_[record.a] = name.substr(kOwnPrefix.size());
      break;
    case Otf2Kind::location:
      if (record.c == OTF2_LOCATION_TYPE_CPU_THREAD) threads_.push_back({record.x, record.d});
      break;
    case Otf2Kind::location_fact:
      if (const std::string& name = text(record.a); own_ && name.starts_with(kOwnPrefix))
        locations_[record.x].facts[name.substr(kOwnPrefix.size())] =
            record.c == 1 ? std::to_string(static_cast<std::int64_t>(record.y)) : text(record.b);
      break;
    case Otf2Kind::region: {
      const bool own_name = own_ && text(record.c) == "petri operation";
      const std::optional<Op> op = own_name ? op_named(text(record.b)) : operation_called(text(record.b));
      if (op) operations_[record.a] = *op;
      break;
    }
    case Otf2Kind::group: {
      Group& group = groups_[record.a];
      group = {record.c, record.d, (record.x & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0, {}};
      group.members.resize(payload.size() / sizeof(std::uint64_t));
      if (!group.members.empty())
        std::memcpy(group.members.data(), payload.data(), group.members.size() * sizeof(std::uint64_t));
      if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS) world_groups_.push_back(group);
      break;
    }
    case Otf2Kind::comm: comms_[record.a] = {record.b, record.c, kOtf2Undefined, record.d, kNoComm}; break;
    case Otf2Kind::inter_comm:
      comms_[record.a] = {record.b, record.c, record.d, static_cast<std::uint32_t>(record.x), kNoComm};
      break;
    case Otf2Kind::window: window_definitions_[record.a] = {record.b, record.c}; break;
    default: break;
  }
}

Scenario Otf2Definitions::scenario() {
  number_ranks();
  number_threads();
  Scenario made(world_);
  add_comms(made);
  std::set<std::string> names;
  for (const auto& [reference, definition] : window_definitions_) {
    std::string name = printable_line(text(definition.first));
    if (name.empty() || !names.insert(name).second) {
      name = fmt::format("win{}", reference);
      while (!names.insert(name).second) name += '\'';
    }
    windows_[reference] = {name, definition.second};
  }
  return made;
}

void Otf2Definitions::number_ranks() {
  std::map<std::uint64_t, std::uint32_t> group_of;
  for (const LocationDefinition& thread : threads_) group_of[thread.reference] = thread.group;
  const Group* ranks = nullptr;
  for (const Group& group : world_groups_)
    if (ranks == nullptr || group.paradigm == OTF2_PARADIGM_MPI) ranks = &group;
  if (ranks != nullptr) {
    paradigm_ = ranks->paradigm;
    stand_for_ = ranks->members;
  } else {  // no communication: each process is a rank
    stand_for_ = first_threads();
  }
  // TAU counts the locations of its group with the threads of one node, though nodes may have different numbers.
  const bool are_defined = std::all_of(stand_for_.begin(), stand_for_.end(), [&](std::uint64_t location) {
    return group_of.find(location) != group_of.end();
  });
  if (std::vector<std::uint64_t> first = first_threads(); !are_defined && first.size() == stand_for_.size())
    stand_for_ = std::move(first);
  if (stand_for_.empty()) throw InputError(name_, 0, 0, "the archive defines no process");
  if (stand_for_.size() > static_cast<std::size_t>(kMaxWorld))
    throw InputError(name_, 0, 0, fmt::format("the archive has {} ranks, more than {}", stand_for_.size(), kMaxWorld));
  world_ = static_cast<std::int32_t>(stand_for_.size());
  std::int32_t rank = 0;
  for (const std::uint64_t location : stand_for_) {
    if (group_of.find(location) == group_of.end())
      throw InputError(name_, 0, 0, fmt::format("rank {} has no location among the definitions", rank));
    Location& made = locations_[location];
    if (made.rank >= 0)
      throw InputError(name_, 0, 0, fmt::format("the ranks {} and {} have one location", made.rank, rank));
    made.rank = rank++;
  }
}

// Of each process, as they are defined.
std::vector<std::uint64_t> Otf2Definitions::first_threads() const {
  std::vector<std::uint64_t> first;
  std::set<std::uint32_t> seen;
  for (const LocationDefinition& thread : threads_)
    if (seen.insert(thread.group).second) first.push_back(thread.reference);
  return first;
}

// The other CPU threads of a process count from 1, in the order of their definitions.
void Otf2Definitions::number_threads() {
  std::map<std::uint32_t, std::int32_t> rank_of, next;
  for (const LocationDefinition& thread : threads_)
    if (const std::int32_t rank = locations_[thread.reference].rank; rank >= 0) rank_of.try_emplace(thread.group, rank);
  for (const LocationDefinition& thread : threads_) {
    Location& location = locations_[thread.reference];
    const auto rank = rank_of.find(thread.group);
    if (location.rank >= 0 || rank == rank_of.end()) continue;
    location.rank = rank->second;
    location.thread = ++next[thread.group];
  }
}

bool Otf2Definitions::is_self(const Comm& comm) const {
  const auto group = groups_.find(comm.group);
  return group != groups_.end() && group->second.type == OTF2_GROUP_TYPE_COMM_SELF;
}

bool Otf2Definitions::is_world(const Comm& comm) const {
  if (comm.remote != kOtf2Undefined || is_self(comm)) return false;
  const std::vector<std::int32_t> ranks = members(comm.group);
  if (ranks.size() != static_cast<std::size_t>(world_)) return false;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != static_cast<std::int32_t>(i)) return false;
  return true;
}

// Teams of threads are communicators, too.
bool Otf2Definitions::counts(const Comm& comm) const {
  const auto group = groups_.find(comm.group);
  return group != groups_.end() && paradigm_ && group->second.paradigm == *paradigm_;
}

std::vector<std::int32_t> Otf2Definitions::members(std::uint32_t reference) const {
  std::vector<std::int32_t> ranks;
  const auto found = groups_.find(reference);
  if (found == groups_.end()) return ranks;
  const Group& group = found->second;
  if (group.members.size() > static_cast<std::size_t>(world_))
    throw InputError(name_, 0, 0, fmt::format("a group has {} members in a world of {}", group.members.size(), world_));
  const bool by_location = group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS || group.type == OTF2_GROUP_TYPE_LOCATIONS;
  std::vector<bool> there(static_cast<std::size_t>(world_));
  for (const std::uint64_t member : group.members) {
    std::int64_t rank = -1;
    if (by_location) {
      const Location* const known = location(member);
      if (known != nullptr) rank = known->rank;
    } else if (member < static_cast<std::uint64_t>(world_)) {
      rank = static_cast<std::int64_t>(member);
    }
    if (rank < 0)
      throw InputError(name_, 0, 0, fmt::format("a group has the member {} in a world of {}", member, world_));
    if (there[static_cast<std::size_t>(rank)])
      throw InputError(name_, 0, 0, fmt::format("a group has the member {} twice", member));
    there[static_cast<std::size_t>(rank)] = true;
    ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return ranks;
}

// The world: the one that is called so, or the first that has all ranks in their order.
void Otf2Definitions::add_comms(Scenario& scenario) {
  Comm* world = nullptr;
  for (auto& [reference, comm] : comms_) {
    if (!counts(comm) || !is_world(comm)) continue;
    const std::string& name = text(comm.name);
    if (name == "MPI_COMM_WORLD" || name == "world") {
      world = &comm;
      break;
    }
    if (world == nullptr) world = &comm;
  }
  if (world != nullptr) world->index = 0;
  for (auto& [reference, comm] : comms_)
    if (&comm != world && counts(comm) && !is_self(comm)) add_comm(scenario, reference, comm);
  for (const auto& [reference, comm] : comms_) {
    const auto parent = comms_.find(comm.parent);
    if (comm.index <= 0 || parent == comms_.end() || parent->second.index < 0) continue;
    scenario.comms[static_cast<std::size_t>(comm.index)].parent =
        scenario.comms[static_cast<std::size_t>(parent->second.index)].name;
  }
}

std::string Otf2Definitions::unique_name(const Scenario& scenario, const std::string& text, const char* kind,
                                         std::uint32_t reference) const {
  std::string name = printable_line(text);
  if (!name.empty() && scenario.find_comm(name) == kNoComm) return name;
  name = fmt::format("{}{}", kind, reference);
  while (scenario.find_comm(name) != kNoComm) name += '\'';
  return name;
}

void Otf2Definitions::add_comm(Scenario& scenario, std::uint32_t reference, Comm& comm) {
  Communicator made;
  made.name = unique_name(scenario, text(comm.name), "comm", reference);
  if (const std::string label = printable_line(text(comm.name)); label != made.name) made.label = label;
  made.ranks = members(comm.group);
  if (comm.remote != kOtf2Undefined) {
    made.remote = members(comm.remote);
    for (const std::int32_t rank : made.remote)
      if (std::find(made.ranks.begin(), made.ranks.end(), rank) != made.ranks.end())
        throw InputError(name_, 0, 0, fmt::format("rank {} is in both groups of an intercommunicator", rank));
    if (made.ranks.empty() || made.remote.empty()) made.remote.clear(), made.ranks.clear();
  }
  made.known = !made.ranks.empty();
  comm.index = scenario.add_comm(std::move(made));
}

double Otf2Definitions::seconds(std::uint64_t ticks) const {
  return ticks < offset_ ? 0 : static_cast<double>(ticks - offset_) / static_cast<double>(resolution_);
}

const std::string& Otf2Definitions::text(std::uint32_t reference) const {
  static const std::string none;
  const auto found = texts_.find(reference);
  return found == texts_.end() ? none : found->second;
}

const std::string& Otf2Definitions::attribute(std::uint32_t reference) const {
  static const std::string none;
  const auto found = attributes_.find(reference);
  return found == attributes_.end() ? none : found->second;
}

std::optional<Op> Otf2Definitions::operation(std::uint32_t region) const {
  const auto found = operations_.find(region);
  if (found == operations_.end()) return std::nullopt;
  return found->second;
}

const Otf2Definitions::Location* Otf2Definitions::location(std::uint64_t reference) const {
  const auto found = locations_.find(reference);
  return found == locations_.end() ? nullptr : &found->second;
}

const Otf2Definitions::Window* Otf2Definitions::window(std::uint32_t reference) const {
  const auto found = windows_.find(reference);
  return found == windows_.end() ? nullptr : &found->second;
}

std::int32_t Otf2Definitions::comm(Scenario& scenario, std::uint32_t reference, std::int32_t rank) const {
  const auto found = comms_.find(reference);
  if (found == comms_.end()) return kNoComm;
  if (!is_self(found->second)) {
    const std::int32_t index = found->second.index;
    if (index <= 0) return index;
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
    return comm.known && comm.group_rank_of(rank) < 0 ? kNoComm : index;
  }
  const std::string name = fmt::format("self/{}", rank);
  if (const std::int32_t known = scenario.find_comm(name); known != kNoComm) return known;
  Communicator self;
  self.name = name;
  self.ranks = {rank};
  return scenario.add_comm(std::move(self));
}

std::int32_t Otf2Definitions::comm_index(std::uint32_t reference) const {
  const auto found = comms_.find(reference);
  return found == comms_.end() ? kNoComm : found->second.index;
}

std::int32_t Otf2Definitions::parent(Scenario& scenario, std::uint32_t reference, std::int32_t rank) const {
  const auto found = comms_.find(reference);
  return found == comms_.end() ? kNoComm : comm(scenario, found->second.parent, rank);
}

std::int32_t Otf2Definitions::peer(const Scenario& scenario, std::uint32_t reference, std::int32_t comm,
                                   std::int32_t rank, std::uint32_t number) const {
  const Communicator& named = scenario.comms[static_cast<std::size_t>(comm)];
  if (!named.known) return static_cast<std::int32_t>(std::min<std::uint32_t>(number, kMaxWorld));
  const std::vector<std::int32_t>& peers = named.peers_of(rank);
  const auto found = comms_.find(reference);
  const auto group = groups_.find(found->second.group);
  if (group != groups_.end() && group->second.global) {
    const auto place = std::find(peers.begin(), peers.end(), static_cast<std::int64_t>(number));
    if (place != peers.end()) return static_cast<std::int32_t>(place - peers.begin());
  } else if (number < peers.size()) {
    return static_cast<std::int32_t>(number);
  }
  throw InputError(name_, 0, 0,
                   fmt::format("rank {} names rank {} of the communicator \"{}\", which has {}", rank, number,
                               named.name, peers.size()));
}

std::int32_t Otf2Definitions::unnamed_comm(Scenario& scenario, std::int32_t rank) const {
  std::int32_t only = kNoComm;
  int candidates = 0;
  for (std::size_t i = 0; i < scenario.comms.size(); ++i) {
    const Communicator& comm = scenario.comms[i];
    if (!comm.known || comm.ranks.size() + comm.remote.size() < 2 || comm.group_rank_of(rank) < 0) continue;
    only = static_cast<std::int32_t>(i);
    ++candidates;
  }
  if (candidates == 1) return only;
  const std::string name = fmt::format("unnamed/{}", rank);
  if (const std::int32_t known = scenario.find_comm(name); known != kNoComm) return known;
  Communicator unnamed;
  unnamed.name = name;
  unnamed.known = false;
  return scenario.add_comm(std::move(unnamed));
}

}  // namespace petri

#include "harness/import/comm_names.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

namespace petri {
namespace {

constexpr int kDeepest = 1000;

}  // namespace

void CommNames::begin_rank(std::int32_t rank, const ProcessFacts& facts, const std::string& file) {
  rank_ = rank;
  facts_ = &facts;
  file_ = file;
  known_ = {{record::kWorldComm, 0}};
}

std::int32_t CommNames::index_of(std::int32_t local, int depth) {
  if (const auto known = known_.find(local); known != known_.end()) return known->second;
  // A local number is always greater than its parent's, so this ends; only a damaged record is nested deeper than any
  // program.
  if (depth > kDeepest) return add_unknown(local);
  std::int32_t index = kNoComm;
  const auto fact = facts_->comms.find(local);
  if (fact == facts_->comms.end() || fact->second.kind == record::CommKind::unknown) {
    index = add_unknown(local);
  } else if (fact->second.kind == record::CommKind::self) {
    index = add_self();
  } else if (fact->second.parent < 0 || fact->second.parent >= local) {
    index = add_unknown(local);
  } else {
    const std::int32_t parent = index_of(fact->second.parent, depth + 1);
    const int repeats = fact->second.ordinal < 0 ? repeats_before(local, fact->second) : 0;
    index = find_or_add(fact->second, parent, repeats);
  }
  known_.emplace(local, index);
  return index;
}

// How often this rank had made the same communicator by group and tag before: those have no position to tell them
// apart.
int CommNames::repeats_before(std::int32_t local, const CommFactCopy& fact) const {
  int repeats = 0;
  for (const auto& [id, other] : facts_->comms) {
    if (id >= local) break;
    if (other.ordinal < 0 && other.parent == fact.parent && other.tag == fact.tag && other.members == fact.members &&
        other.remote == fact.remote && other.name == fact.name && other.kind == fact.kind)
      ++repeats;
  }
  return repeats;
}

namespace {

// The two groups of an intercommunicator are each other's remote one; the one with the lower first rank stands in
// front.
void order_groups(std::vector<std::int32_t>& ranks, std::vector<std::int32_t>& remote) {
  if (!remote.empty() && remote < ranks) ranks.swap(remote);
}

// Made by two communicators that meet.
bool is_between(Op op) {
  return op == Op::intercomm_create || op == Op::comm_accept || op == Op::comm_connect;
}

std::string name_of(const CommFactCopy& fact, const Communicator& parent, const Communicator& comm, int repeats) {
  std::string name;
  if (is_between(static_cast<Op>(fact.op)) && comm.known)
    name = fmt::format("inter/g{}", fact.tag);
  else if (!fact.name.empty())
    name = fmt::format("{}/g{}", parent.name, fact.name);
  else if (fact.ordinal >= 0)
    name = fmt::format("{}/{}", parent.name, fact.ordinal);
  else
    name = fmt::format("{}/g{}", parent.name, fact.tag);
  if (comm.known && (comm.ranks != parent.ranks || comm.remote != parent.remote))
    name += fmt::format(":{}", comm.ranks.front());
  if (comm.is_inter() && comm.remote != parent.remote) name += fmt::format("-{}", comm.remote.front());
  return repeats > 0 ? fmt::format("{}#{}", name, repeats) : name;
}

}  // namespace

std::int32_t CommNames::find_or_add(const CommFactCopy& fact, std::int32_t parent_index, int repeats) {
  // The two sides of an intercommunicator made it from different parents.
  const bool from_two = is_between(static_cast<Op>(fact.op)) && fact.kind == record::CommKind::created;
  const Communicator parent = from_two ? Communicator{} : at(parent_index);
  const bool as_parent = fact.members.empty();
  Communicator comm;
  comm.parent = parent.name;
  comm.ranks = as_parent ? parent.ranks : fact.members;
  comm.remote = as_parent ? parent.remote : fact.remote;
  comm.known = as_parent ? parent.known : true;
  if (fact.kind == record::CommKind::outside) {
    comm.ranks.clear();
    comm.remote.clear();
    comm.known = false;
  }
  order_groups(comm.ranks, comm.remote);
  check_members(comm);
  Key key{from_two ? kNoComm : parent_index, fact.ordinal, fact.tag, fact.name, comm.ranks, comm.remote, repeats};
  if (const auto made = made_.find(key); made != made_.end()) return made->second;
  comm.name = name_of(fact, parent, comm, repeats);
  const std::int32_t index = add(std::move(comm));
  made_.emplace(std::move(key), index);
  return index;
}

void CommNames::check_members(const Communicator& comm) const {
  std::set<std::int32_t> seen;
  for (const auto* group : {&comm.ranks, &comm.remote})
    for (const std::int32_t member : *group)
      if (member < 0 || member >= scenario_.world() || !seen.insert(member).second)
        throw InputError(file_, 0, 0, fmt::format("damaged record: a communicator with the member {}", member));
  if (comm.ranks.empty() && !comm.remote.empty())
    throw InputError(file_, 0, 0, "damaged record: an intercommunicator with one group only");
}

std::int32_t CommNames::add_unknown(std::int32_t local) {
  Communicator comm;
  comm.name = fmt::format("unknown/{}.{}", rank_, local);
  comm.known = false;
  return add(std::move(comm));
}

std::int32_t CommNames::add_self() {
  Communicator comm;
  comm.name = fmt::format("self/{}", rank_);
  comm.ranks = {rank_};
  return add(std::move(comm));
}

// Ranks that disagree about what was made, as only a program in disorder can, must not end up with one name for two
// things.
std::int32_t CommNames::add(Communicator comm) {
  const std::string name = comm.name;
  for (int n = 2; scenario_.find_comm(comm.name) != kNoComm; ++n) comm.name = fmt::format("{}~{}", name, n);
  return scenario_.add_comm(std::move(comm));
}

}  // namespace petri

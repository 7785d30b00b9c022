#include "harness/import/comm_names.hpp"

#include <fmt/format.h>

#include <set>
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
        other.kind == record::CommKind::created)
      ++repeats;
  }
  return repeats;
}

std::int32_t CommNames::find_or_add(const CommFactCopy& fact, std::int32_t parent_index, int repeats) {
  const Communicator& parent = scenario_.comms[static_cast<std::size_t>(parent_index)];
  const std::vector<std::int32_t>& members = fact.members.empty() ? parent.ranks : fact.members;
  check_members(members);
  Key key{parent_index, fact.ordinal, fact.tag, members, repeats};
  if (const auto made = made_.find(key); made != made_.end()) return made->second;

  Communicator comm;
  comm.parent = parent.name;
  comm.known = fact.members.empty() ? parent.known : true;
  comm.ranks = members;
  comm.name = fact.ordinal >= 0 ? fmt::format("{}/{}", parent.name, fact.ordinal)
                                : fmt::format("{}/g{}", parent.name, fact.tag);
  if (members != parent.ranks) comm.name += fmt::format(":{}", members.front());
  if (repeats > 0) comm.name += fmt::format("#{}", repeats);
  const std::int32_t index = add(std::move(comm));
  made_.emplace(std::move(key), index);
  return index;
}

void CommNames::check_members(const std::vector<std::int32_t>& members) const {
  std::set<std::int32_t> seen;
  for (const std::int32_t member : members)
    if (member < 0 || member >= scenario_.world() || !seen.insert(member).second)
      throw InputError(file_, 0, 0, fmt::format("damaged record: a communicator with the member {}", member));
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

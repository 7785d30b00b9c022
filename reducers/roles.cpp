#include "reducers/roles.hpp"

#include <algorithm>
#include <unordered_map>

namespace petri::reduce {
namespace {

using Hash = std::uint64_t;

// One step of a multiply-xorshift mix (the finalizer of SplitMix64), chained over the values.
Hash mix(Hash hash, Hash value) {
  hash += value + 0x9e3779b97f4a7c15U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31U);
}

Hash as_hash(std::int64_t value) {
  return static_cast<Hash>(value);
}

class Refinement {
 public:
  explicit Refinement(const Scenario& scenario) : scenario_(scenario), role_(scenario.ranks.size(), 0) {}

  void round(bool look_around) {
    look_around_ = look_around;
    if (look_around) hash_members();
    std::vector<Hash> next;
    for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) next.push_back(hash_rank(rank));
    role_ = std::move(next);
  }

  // Small numbers in the order of first appearance.
  std::vector<std::uint32_t> numbered() const {
    std::unordered_map<Hash, std::uint32_t> numbers;
    std::vector<std::uint32_t> roles;
    for (const Hash hash : role_) {
      roles.push_back(numbers.try_emplace(hash, static_cast<std::uint32_t>(numbers.size())).first->second);
    }
    return roles;
  }

 private:
  void hash_members() {
    members_.clear();
    for (const Communicator& comm : scenario_.comms) {
      std::vector<Hash> roles;
      for (const std::int32_t rank : comm.ranks) roles.push_back(role_[static_cast<std::size_t>(rank)]);
      std::sort(roles.begin(), roles.end());
      roles.erase(std::unique(roles.begin(), roles.end()), roles.end());
      Hash hash = 0;
      for (const Hash role : roles) hash = mix(hash, role);
      members_.push_back(hash);
    }
  }

  Hash hash_rank(std::size_t rank) const {
    std::unordered_map<std::int32_t, Hash> ordinal;  // communicators are named by the order in which a rank meets them
    const auto name = [&](std::int32_t comm) -> Hash {
      if (comm == 0) return 0;
      return ordinal.try_emplace(comm, ordinal.size() + 1).first->second;
    };
    const RankTrace& trace = scenario_.ranks[rank];
    Hash hash = mix(0, static_cast<Hash>(trace.end.kind));
    for (const Event& event : trace.events) {
      hash = mix(hash, static_cast<Hash>(event.op));
      hash = mix(hash, name(event.comm));
      if (event.new_comm != kNoComm) hash = mix(hash, name(event.new_comm));
      hash = mix(hash, as_hash(event.tag));
      hash = mix(hash, static_cast<Hash>(event.reduce));
      const EventExtras& x = event.extras.get();
      for (const std::int32_t peer : {event.peer, x.sendpeer, x.recvpeer}) hash = mix(hash, hash_peer(event, peer));
      if (!look_around_) continue;
      hash = mix(hash, hash_peer(event, event.root));
      hash = mix(hash, members_[static_cast<std::size_t>(event.comm)]);
      if (event.new_comm != kNoComm) hash = mix(hash, members_[static_cast<std::size_t>(event.new_comm)]);
    }
    return hash;
  }

  Hash hash_peer(const Event& event, std::int32_t peer) const {
    if (peer < 0) return as_hash(peer);
    const std::vector<std::int32_t>& members = scenario_.comm_of(event).ranks;
    if (!look_around_ || static_cast<std::size_t>(peer) >= members.size()) return 0;
    return role_[static_cast<std::size_t>(members[static_cast<std::size_t>(peer)])];
  }

  const Scenario& scenario_;
  std::vector<Hash> role_, members_;
  bool look_around_ = false;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> find_roles(const Scenario& scenario, int rounds) {
  Refinement refinement(scenario);
  std::vector<std::vector<std::uint32_t>> partitions;
  for (int round = 0; round <= rounds; ++round) {
    refinement.round(round > 0);
    partitions.push_back(refinement.numbered());
  }
  return partitions;
}

}  // namespace petri::reduce

#include "reducers/roles.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reducers/hashing.hpp"
#include "reducers/loops.hpp"

namespace petri::reduce {
namespace {

Hash as_hash(std::int64_t value) {
  return static_cast<Hash>(value);
}

using Roles = std::vector<std::uint32_t>;

// Small numbers in the order of first appearance.
Roles numbered(const std::vector<Hash>& hashes) {
  std::unordered_map<Hash, std::uint32_t> numbers;
  Roles roles;
  for (const Hash hash : hashes) {
    roles.push_back(numbers.try_emplace(hash, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return roles;
}

class Refinement {
 public:
  explicit Refinement(const Scenario& scenario) : scenario_(scenario), role_(scenario.ranks.size(), 0) {
    for (const RankTrace& rank : scenario.ranks) name_calls(rank);
  }

  // Appends the partitions of one more round.
  void round(bool look_around, std::vector<Roles>& partitions) {
    if (look_around) hash_members();
    std::vector<Hash> shapes, sequences;
    for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
      const Hash end = as_hash(static_cast<std::int64_t>(scenario_.ranks[rank].end.kind));
      sequences.push_back(mix(end, look(rank, look_around)));
      shapes.push_back(mix(end, shape_of(sequences.back())));
    }
    partitions.push_back(numbered(shapes));
    partitions.push_back(numbered(sequences));
    role_ = std::move(shapes);
  }

 private:
  // What a rank calls, without whom it names.
  void name_calls(const RankTrace& rank) {
    std::unordered_map<std::int32_t, Hash> ordinal;  // communicators are named by the order in which a rank meets them
    const auto name = [&](std::int32_t comm) -> Hash {
      if (comm == 0) return 0;
      return ordinal.try_emplace(comm, ordinal.size() + 1).first->second;
    };
    std::vector<Hash>& calls = calls_.emplace_back();
    calls.reserve(rank.events.size());
    for (const Event& event : rank.events) {
      Hash hash = mix(static_cast<Hash>(event.op), name(event.comm));
      if (event.extras.new_comm() != kNoComm) hash = mix(hash, name(event.extras.new_comm()));
      hash = mix(hash, as_hash(event.tag));
      calls.push_back(mix(hash, static_cast<Hash>(event.reduce)));
    }
  }

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

  // Leaves the symbols of a rank's calls, as this round sees them, in `symbols_`; returns a hash of their sequence.
  Hash look(std::size_t rank, bool look_around) {
    const std::vector<Event>& events = scenario_.ranks[rank].events;
    symbols_.clear();
    Hash sequence = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const Event& event = events[i];
      Hash hash = mix(calls_[rank][i], look_around ? hash_peer(event, event.peer) : as_hash(std::min(event.peer, 0)));
      const EventExtras& x = event.extras;
      for (const std::int32_t peer : {x.sendpeer(), x.recvpeer()}) {
        if (peer != kUnset) hash = mix(hash, look_around ? hash_peer(event, peer) : as_hash(std::min(peer, 0)));
      }
      if (look_around) {
        hash = mix(hash, hash_peer(event, event.root));
        hash = mix(hash, members_[static_cast<std::size_t>(event.comm)]);
        if (event.extras.new_comm() != kNoComm)
          hash = mix(hash, members_[static_cast<std::size_t>(event.extras.new_comm())]);
      }
      symbols_.push_back(hash);
      sequence = mix(sequence, hash);
    }
    return sequence;
  }

  Hash hash_peer(const Event& event, std::int32_t peer) const {
    if (peer < 0) return as_hash(peer);
    const std::vector<std::int32_t>& members = scenario_.comm_of(event).ranks;
    if (static_cast<std::size_t>(peer) >= members.size()) return 0;
    return role_[static_cast<std::size_t>(members[static_cast<std::size_t>(peer)])];
  }

  // Of `symbols_`, whose hash is `sequence`: folded once, however many ranks make the same calls.
  Hash shape_of(Hash sequence) {
    const auto [known, is_new] = shapes_.try_emplace(sequence, 0);
    if (is_new) {
      folder_.clear();
      for (const Hash symbol : symbols_) folder_.push(symbol);
      known->second = folder_.shape();
    }
    return known->second;
  }

  const Scenario& scenario_;
  std::vector<Hash> role_, members_;
  std::vector<std::vector<Hash>> calls_;  // by rank and event
  std::vector<Hash> symbols_;             // of the rank that is being looked at
  LoopFolder folder_;
  std::unordered_map<Hash, Hash> shapes_;  // by hash of a sequence
};

}  // namespace

std::vector<std::vector<std::uint32_t>> find_roles(const Scenario& scenario, int rounds) {
  Refinement refinement(scenario);
  std::vector<std::vector<std::uint32_t>> partitions;
  for (int round = 0; round <= rounds; ++round) refinement.round(round > 0, partitions);
  return partitions;
}

}  // namespace petri::reduce

#include "harness/diagnose/part_calls.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <set>

namespace petri::diagnosis {
namespace {

bool is_failed_poll(const Event& event) {
  return event.flag == 0 || (event.extras.polls() > 0 && event.flag != 1);
}

template <std::size_t Size>
std::uint64_t hash(const std::array<std::uint64_t, Size>& parts) {
  return XXH3_64bits(parts.data(), sizeof parts);
}

std::uint64_t both(std::int32_t one, std::int32_t other) {
  return (std::uint64_t{static_cast<std::uint32_t>(one)} << 32) | static_cast<std::uint32_t>(other);
}

}  // namespace

PartCalls::PartCalls(const Scenario& scenario, const model::Run& run, std::int32_t rank, std::optional<CommKind> only)
    : scenario_(scenario), only_(only), rank_(rank), events_(scenario.ranks[static_cast<std::size_t>(rank)].events) {
  const auto slot = static_cast<std::size_t>(rank);
  end_ = static_cast<std::uint32_t>(std::min<std::size_t>(run.index[slot] + std::size_t{1}, events_.size()));
}

std::optional<PartCall> PartCalls::next() {
  for (; next_ < end_; ++next_) {
    const Event& event = events_[next_];
    note_communicator(event);
    if (kind_of(event.op) == OpKind::host || is_failed_poll(event)) continue;
    if (!only_ || comm_kind(event.comm) == *only_) return call_of(event, {rank_, next_++});
  }
  return std::nullopt;
}

void PartCalls::go_to(std::uint32_t index) {
  for (; next_ < std::min(index, end_); ++next_) note_communicator(events_[next_]);
  forget_partners();
}

CommKind PartCalls::comm_kind(std::int32_t comm) {
  const auto [kind, is_new] = kinds_.try_emplace(comm, 0);
  if (is_new && comm != 0) {
    const Communicator& known = scenario_.comms[static_cast<std::size_t>(comm)];
    const std::size_t peers = known.peers_of(rank_).size();
    kind->second = (CommKind{1} << 62) + (CommKind{peers} << 31) + known.ranks.size() + known.remote.size();
  }
  return kind->second;
}

void PartCalls::note_communicator(const Event& event) {
  if (event.extras.new_comm() != kNoComm && is_positional(event.op))
    kinds_.try_emplace(event.extras.new_comm(), ++made_);
}

std::uint64_t PartCalls::partner(std::int32_t comm, std::int32_t peer) {
  if (peer < 0) return static_cast<std::uint32_t>(peer);
  return partners_.try_emplace({comm, peer}, partners_.size()).first->second;
}

PartCall PartCalls::call_of(const Event& event, EventRef ref) {
  const EventExtras& extras = event.extras;
  const bool is_collective = kind_of(event.op) == OpKind::collective;
  const std::array<std::uint64_t, 8> fixed{static_cast<std::uint64_t>(event.op),
                                           comm_kind(event.comm),
                                           both(tag_of(event), event.root),
                                           is_collective ? static_cast<std::uint64_t>(event.count) : 0,
                                           static_cast<std::uint64_t>(event.dtype),
                                           static_cast<std::uint64_t>(event.reduce),
                                           event.site,
                                           both(extras.sendtag(), extras.recvtag())};
  PartCall call;
  call.ref = ref;
  call.bare = hash(fixed);
  call.loose = hash(std::array<std::uint64_t, 4>{call.bare, partner(event.comm, event.peer),
                                                 partner(event.comm, extras.sendpeer()),
                                                 partner(event.comm, extras.recvpeer())});
  call.strict = hash(std::array<std::uint64_t, 2>{call.loose, extras.requests().size()});
  return call;
}

std::vector<bool> with_one_known_order(const Scenario& scenario, const model::Run& run) {
  std::vector<bool> known(scenario.ranks.size(), true);
  for (const model::Lane& lane : run.lanes)
    if (lane.is_stream() || lane.thread != 0) known[static_cast<std::size_t>(lane.rank)] = false;
  for (std::size_t rank = 0; rank < known.size(); ++rank)
    if (scenario.ranks[rank].end.dropped > 0) known[rank] = false;
  return known;
}

std::vector<std::size_t> partners_of_all(const Scenario& scenario, const model::Run& run) {
  std::vector<std::set<std::int32_t>> partners(scenario.ranks.size());
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
    for (const Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events)
      for (const std::int32_t peer : {event.peer, event.extras.sendpeer(), event.extras.recvpeer()}) {
        if (peer < 0) continue;
        const std::int32_t member = run.gatherings.peer_index(event.comm, rank, peer);
        const auto& ranks = run.gatherings.ranks_of(event.comm);
        if (member < 0 || static_cast<std::size_t>(member) >= ranks.size()) continue;
        const std::int32_t other = ranks[static_cast<std::size_t>(member)];
        partners[static_cast<std::size_t>(rank)].insert(other);
        partners[static_cast<std::size_t>(other)].insert(rank);
      }
  std::vector<std::size_t> counts;
  for (const auto& one : partners) counts.push_back(one.size());
  return counts;
}

}  // namespace petri::diagnosis

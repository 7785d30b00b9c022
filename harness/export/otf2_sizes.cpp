#include "harness/export/otf2_sizes.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

namespace petri {
namespace {

struct Blocks {
  std::uint64_t sent = 0, received = 0;          // of one member
  std::uint64_t all_sent = 0, all_received = 0;  // of all, where counts differ by member
};

std::uint64_t bytes_of(std::int64_t count, ElementType type) {
  return count < 0 ? 0 : static_cast<std::uint64_t>(count) * size_of(type);
}

std::uint64_t bytes_of(const std::vector<std::int64_t>& counts, ElementType type) {
  std::uint64_t sum = 0;
  for (const std::int64_t count : counts) sum += bytes_of(count, type);
  return sum;
}

Blocks blocks_of(const Event& event) {
  const EventExtras& extras = event.extras;
  const auto either = [](auto one, auto none, auto other) { return one == none ? other : one; };
  const ElementType sends = either(extras.sendtype(), ElementType::unknown, event.dtype);
  const ElementType receives = either(extras.recvtype(), ElementType::unknown, event.dtype);
  Blocks blocks;
  blocks.sent = bytes_of(either(extras.sendcount(), kUnknownCount, event.count), sends);
  blocks.received = bytes_of(either(extras.recvcount(), kUnknownCount, event.count), receives);
  const std::vector<std::int64_t> counts = extras.counts();
  const std::vector<std::int64_t> sent = extras.sendcounts(), received = extras.recvcounts();
  blocks.all_sent = bytes_of(sent.empty() ? counts : sent, sends);
  blocks.all_received = bytes_of(received.empty() ? counts : received, receives);
  return blocks;
}

}  // namespace

CollectiveSizes collective_sizes(const Scenario& scenario, std::int32_t rank, const Event& event) {
  const Communicator& comm = scenario.comm_of(event);
  const Blocks blocks = blocks_of(event);
  if (!comm.known) return {};
  const auto members = static_cast<std::uint64_t>(comm.peers_of(rank).size());
  const std::int32_t place = comm.group_rank_of(rank);
  const auto me = static_cast<std::uint64_t>(std::max(place, 0));
  const bool is_root = comm.is_inter() ? event.root == kRootHere : event.root == place;
  const bool is_away = comm.is_inter() && event.root == kNull;
  const std::string_view family = info(event.op).family;
  const auto all = [&](std::uint64_t sum, std::uint64_t block) { return sum > 0 ? sum : members * block; };

  if (family == "bcast" || family == "scatter" || family == "scatterv") {
    if (is_away) return {};
    if (is_root) return {all(blocks.all_sent, blocks.sent), comm.is_inter() ? 0 : blocks.received};
    return {0, blocks.received};
  }
  if (family == "reduce" || family == "gather" || family == "gatherv") {
    if (is_away) return {};
    if (is_root) return {comm.is_inter() ? 0 : blocks.sent, all(blocks.all_received, blocks.received)};
    return {blocks.sent, 0};
  }
  if (family == "scan") return {(members - std::min(me, members)) * blocks.sent, (me + 1) * blocks.received};
  if (family == "exscan") return {(members - std::min(me + 1, members)) * blocks.sent, me * blocks.received};
  if (family == "reduce_scatter") {
    const std::vector<std::int64_t> counts = event.extras.counts();
    const std::int64_t mine = me < counts.size() ? counts[me] : event.count;
    return {all(blocks.all_sent, blocks.sent), members * bytes_of(mine, event.dtype)};
  }
  return {all(blocks.all_sent, blocks.sent), all(blocks.all_received, blocks.received)};
}

}  // namespace petri

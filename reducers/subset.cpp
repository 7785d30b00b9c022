#include "reducers/subset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reducers/pass.hpp"

namespace petri::reduce {
namespace {

using RankMap = std::unordered_map<std::int32_t, std::int32_t>;  // rank of the first job: rank of `original`

// One communicator of the original for each of the reduction: of the same name, except that a group of all that are
// left may have become the world.
class CommMap {
 public:
  explicit CommMap(std::vector<std::int32_t> kept) : kept_(std::move(kept)) {}

  bool fits(const Communicator& from, const Communicator& to) {
    if (!partner_.try_emplace(to.name, from.name).second) return partner_[to.name] == from.name;
    if (from.name == to.name) return true;
    const auto is_member = [&](std::int32_t rank) {
      return std::find(from.ranks.begin(), from.ranks.end(), rank) != from.ranks.end();
    };
    return to.name == "world" && std::all_of(kept_.begin(), kept_.end(), is_member);
  }

 private:
  std::vector<std::int32_t> kept_;  // of the original
  std::unordered_map<std::string, std::string> partner_;
};

std::string compare_events(const Scenario& original, const Scenario& reduced, CommMap& comms, std::int32_t from,
                           std::int32_t to) {
  const std::vector<Event>& all = original.ranks[static_cast<std::size_t>(from)].events;
  std::size_t next = 0;
  for (const Event& event : reduced.ranks[static_cast<std::size_t>(to)].events) {
    while (next < all.size() && all[next].seq != event.seq) ++next;
    if (next == all.size()) {
      return fmt::format("rank {} has event {}, which original rank {} does not have there", to, event.seq, from);
    }
    const Event& source = all[next++];
    if (source.op != event.op) {
      return fmt::format("event {} of rank {} is {}, but {} in the original", event.seq, to, name_of(event.op),
                         name_of(source.op));
    }
    const bool on_none = kind_of(event.op) == OpKind::device || kind_of(event.op) == OpKind::host;
    if (!on_none && !comms.fits(original.comm_of(source), reduced.comm_of(event))) {
      return fmt::format("event {} of rank {} is on communicator {}, but on {} in the original", event.seq, to,
                         reduced.comm_of(event).name, original.comm_of(source).name);
    }
  }
  return {};
}

std::string compare_comm(const Scenario& original, const Communicator& comm, const std::vector<std::int32_t>& rank_of) {
  const std::int32_t index = original.find_comm(comm.name);
  if (index == kNoComm) return fmt::format("communicator {} is not in the original", comm.name);
  const std::vector<std::int32_t>& all = original.comms[static_cast<std::size_t>(index)].ranks;
  auto next = all.begin();
  for (const std::int32_t rank : comm.ranks) {
    while (next != all.end() && *next != rank_of[static_cast<std::size_t>(rank)]) ++next;
    if (next == all.end()) {
      return fmt::format("rank {} is no member of {} in the original, or in another order", rank, comm.name);
    }
    ++next;
  }
  return {};
}

}  // namespace

std::string not_from_original(const Scenario& original, const Scenario& reduced) {
  RankMap from_first;
  for (std::int32_t rank = 0; rank < original.world(); ++rank) from_first.emplace(original_rank(original, rank), rank);
  std::vector<std::int32_t> rank_of;
  for (std::int32_t rank = 0; rank < reduced.world(); ++rank) {
    const auto found = from_first.find(original_rank(reduced, rank));
    if (found == from_first.end()) return fmt::format("rank {} stands for a rank that is not in the original", rank);
    rank_of.push_back(found->second);
    from_first.erase(found);
  }
  for (const Communicator& comm : reduced.comms) {
    if (auto reason = compare_comm(original, comm, rank_of); !reason.empty()) return reason;
  }
  CommMap comms(rank_of);
  for (std::int32_t rank = 0; rank < reduced.world(); ++rank) {
    auto reason = compare_events(original, reduced, comms, rank_of[static_cast<std::size_t>(rank)], rank);
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace petri::reduce

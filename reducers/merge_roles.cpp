#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "reducers/passes.hpp"
#include "reducers/plain_tags.hpp"
#include "reducers/roles.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

constexpr int kRounds = 3;          // of refinement: how far a rank looks around
constexpr std::size_t kCopies = 3;  // of one role at most; a failure that needs more is left to the finer passes

// What becomes of messages with ranks that go.
enum class Peers {
  drop,    // they go too: a master loses the answers of the workers that leave
  next,    // the next kept member in the same direction takes over: rings and pipelines close up
  wrapped  // the copy with the same place in its role, modulo the copies: a covering of the smaller job by the larger
};

// Who is kept of one partition, and who of those stands in for the others.
struct Plan {
  std::vector<std::uint8_t> kept;         // by rank
  std::vector<std::int32_t> counterpart;  // by rank: the kept copy at the same place of the role, modulo the copies
};

Plan plan_of(const std::vector<std::uint32_t>& roles, std::size_t copies, const std::vector<std::uint8_t>& preferred) {
  std::vector<std::vector<std::int32_t>> players;
  for (std::size_t rank = 0; rank < roles.size(); ++rank) {
    if (roles[rank] >= players.size()) players.resize(roles[rank] + 1);
    players[roles[rank]].push_back(static_cast<std::int32_t>(rank));
  }
  Plan plan{std::vector<std::uint8_t>(roles.size(), 0), std::vector<std::int32_t>(roles.size(), -1)};
  for (auto& role : players) {
    std::stable_partition(role.begin(), role.end(),
                          [&](std::int32_t rank) { return preferred[static_cast<std::size_t>(rank)] != 0; });
    const std::size_t size = std::min(copies, role.size());
    for (std::size_t i = 0; i < role.size(); ++i) {
      plan.kept[static_cast<std::size_t>(role[i])] = i < size ? 1 : 0;
      plan.counterpart[static_cast<std::size_t>(role[i])] = role[i % size];
    }
  }
  return plan;
}

// The next kept group rank from `peer` on, away from `self` by the shorter way round; never `self`.
std::int32_t next_member(const Communicator& comm, const Plan& plan, std::int32_t self, std::int32_t peer) {
  const auto size = static_cast<std::int32_t>(comm.ranks.size());
  const std::int32_t ahead = (peer - self + size) % size;
  const std::int32_t way = ahead <= size / 2 ? 1 : size - 1;
  for (std::int32_t tried = 0; tried < size; ++tried, peer = (peer + way) % size) {
    const std::int32_t rank = comm.ranks[static_cast<std::size_t>(peer)];
    if (peer != self && plan.kept[static_cast<std::size_t>(rank)] != 0) return peer;
  }
  return -1;
}

StandIn stand_in_for(const Scenario& scenario, const Plan& plan, Peers peers) {
  if (peers == Peers::drop) return {};
  return [&scenario, &plan, peers](std::int32_t index, std::int32_t self, std::int32_t peer) -> std::int32_t {
    const Communicator& comm = scenario.comms[static_cast<std::size_t>(index)];
    if (peers == Peers::next) return next_member(comm, plan, self, peer);
    const std::int32_t rank = comm.ranks[static_cast<std::size_t>(peer)];
    const std::int32_t other = comm.group_rank_of(plan.counterpart[static_cast<std::size_t>(rank)]);
    return other == self ? -1 : other;
  };
}

// A plan with the scenario that it is cut from.
struct Option {
  ScenarioPtr base;
  std::size_t kept = 0;
  std::shared_ptr<const Plan> plan;
};

void add_options(const ScenarioPtr& base, const std::vector<std::uint8_t>& preferred, std::vector<Option>& options) {
  std::set<std::vector<std::int32_t>> seen;
  for (const auto& roles : find_roles(*base, kRounds)) {
    for (std::size_t copies = 1; copies <= kCopies; ++copies) {
      Plan plan = plan_of(roles, copies, preferred);
      const auto kept = static_cast<std::size_t>(std::count(plan.kept.begin(), plan.kept.end(), 1));
      if (kept == plan.kept.size() || !seen.insert(plan.counterpart).second) continue;
      options.push_back({base, kept, std::make_shared<const Plan>(std::move(plan))});
    }
  }
}

// Coarse roles and few copies first: the first proposal that still fails is the smallest.
std::vector<Proposal> proposals_for(const ScenarioPtr& now, const PassContext& context) {
  std::vector<std::uint8_t> preferred(now->ranks.size(), 0);
  for (const EventRef ref : failure_events(*now, context)) preferred[static_cast<std::size_t>(ref.rank)] = 1;
  std::vector<Option> options;
  add_options(now, preferred, options);
  // Tags that move with the rank are like peers: what is left of them must fit those who stand in.
  if (auto plain = with_plain_tags(*now))
    add_options(std::make_shared<const Scenario>(*std::move(plain)), preferred, options);
  std::stable_sort(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.kept < b.kept; });
  std::vector<Proposal> proposals;
  for (const Option& option : options) {
    for (const Peers peers : {Peers::drop, Peers::next, Peers::wrapped}) {
      proposals.push_back([option, peers] {
        Selection keep = Selection::all(*option.base);
        keep.ranks = option.plan->kept;
        return cut(*option.base, keep, stand_in_for(*option.base, *option.plan, peers));
      });
    }
  }
  return proposals;
}

class MergeRoles final : public Pass {
 public:
  std::string_view name() const override { return "merge roles"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    return try_in_order(current, [context](const ScenarioPtr& now) { return proposals_for(now, context); });
  }
};

}  // namespace

PassPtr merge_roles() {
  return std::make_unique<MergeRoles>();
}

}  // namespace petri::reduce

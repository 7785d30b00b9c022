#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/requests.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// What the failure's events need, found backwards over one grouping of the events.
class Slicer {
 public:
  explicit Slicer(const Scenario& scenario) : scenario_(scenario), groups_(group_events(scenario)) {
    for (const RankTrace& rank : scenario.ranks) {
      auto& named = naming_.emplace_back();
      for (std::uint32_t i = 0; i < rank.events.size(); ++i) {
        for_each_request(rank.events[i], [&](std::uint32_t request) { named[request].push_back(i); });
      }
    }
  }

  // The events themselves, their partners, and the life of every request among them.
  Selection tight(const std::vector<EventRef>& failure) {
    Selection keep = Selection::no_events(scenario_);
    mark(keep, failure, [&](EventRef ref) { require_requests(keep, ref); });
    return keep;
  }

  // The same with everything else that the failure's own ranks do.
  Selection with_ranks(const std::vector<EventRef>& failure) {
    Selection keep = Selection::no_events(scenario_);
    std::vector<EventRef> seeds = failure;
    std::vector<std::uint8_t> involved(scenario_.ranks.size(), 0);
    for (const EventRef ref : failure) involved[static_cast<std::size_t>(ref.rank)] = 1;
    for (std::size_t rank = 0; rank < involved.size(); ++rank) {
      if (involved[rank] == 0) continue;
      for (std::uint32_t i = 0; i < scenario_.ranks[rank].events.size(); ++i) {
        seeds.push_back({static_cast<std::int32_t>(rank), i});
      }
    }
    mark(keep, seeds, [&](EventRef ref) { require_requests(keep, ref); });
    return keep;
  }

  // All that can have come before: program order backwards and partners sideways. What is outside of it ran beside the
  // failure or after it.
  Selection past(const std::vector<EventRef>& failure) {
    Selection keep = Selection::no_events(scenario_);
    std::vector<std::uint32_t> reached(scenario_.ranks.size(), 0);  // events below this index are marked
    mark(keep, failure, [&](EventRef ref) {
      std::uint32_t& below = reached[static_cast<std::size_t>(ref.rank)];
      for (; below < ref.index; ++below) require(keep, {ref.rank, below});
    });
    return keep;
  }

 private:
  void require(Selection& keep, EventRef ref) {
    if (keep.keeps(ref)) return;
    keep.keep(ref);
    open_.push_back(ref);
  }

  void require_requests(Selection& keep, EventRef ref) {
    const auto& named = naming_[static_cast<std::size_t>(ref.rank)];
    // A wait for many requests needs none of them but those that something else needs; it only loses the others.
    if (at(scenario_, ref).extras.requests().size() > 1 && !is_seed(ref)) return;
    for_each_request(at(scenario_, ref), [&](std::uint32_t request) {
      for (const std::uint32_t i : named.at(request)) require(keep, {ref.rank, i});
    });
  }

  bool is_seed(EventRef ref) const { return std::binary_search(seeds_.begin(), seeds_.end(), ref); }

  template <class Needs>
  void mark(Selection& keep, const std::vector<EventRef>& seeds, Needs needs) {
    seeds_ = seeds;
    std::sort(seeds_.begin(), seeds_.end());
    for (const EventRef ref : seeds) require(keep, ref);
    while (!open_.empty()) {
      const EventRef ref = open_.back();
      open_.pop_back();
      const std::uint32_t group = groups_.of[static_cast<std::size_t>(ref.rank)][ref.index];
      for (const EventRef partner : groups_.members[group]) require(keep, partner);
      needs(ref);
    }
  }

  const Scenario& scenario_;
  Groups groups_;
  std::vector<std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>> naming_;  // by rank: events by request
  std::vector<EventRef> open_, seeds_;
};

class Slice final : public Pass {
 public:
  std::string_view name() const override { return "slice"; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext& context) const override {
    return try_in_order(current, [context](const ScenarioPtr& now) {
      std::vector<Proposal> proposals;
      const std::vector<EventRef> failure = failure_events(*now, context);
      if (failure.empty()) return proposals;
      for (const auto slice : {&Slicer::tight, &Slicer::with_ranks, &Slicer::past}) {
        proposals.push_back([now, failure, slice] { return cut(*now, (Slicer(*now).*slice)(failure)); });
      }
      return proposals;
    });
  }
};

}  // namespace

PassPtr slice() {
  return std::make_unique<Slice>();
}

}  // namespace petri::reduce

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "reducers/groups.hpp"
#include "reducers/passes.hpp"
#include "reducers/requests.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

// A scenario's groups, found by the first slice that needs them.
class SharedGroups {
 public:
  const Groups& of(const Scenario& scenario) {
    std::call_once(once_, [&] { groups_ = group_events(scenario); });
    return groups_;
  }

 private:
  std::once_flag once_;
  Groups groups_;
};

// What the failure's events need, found backwards over one grouping of the events.
class Slicer {
 public:
  Slicer(const Scenario& scenario, const Groups& groups)
      : scenario_(scenario), groups_(groups), naming_(scenario.ranks.size()) {}

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
  using Naming = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

  void require(Selection& keep, EventRef ref) {
    if (keep.keeps(ref)) return;
    keep.keep(ref);
    open_.push_back(ref);
  }

  void require_requests(Selection& keep, EventRef ref) {
    // A wait for many requests needs none of them but those that something else needs; it only loses the others.
    if (at(scenario_, ref).extras.requests().size() > 1 && !is_seed(ref)) return;
    for_each_request(at(scenario_, ref), [&](std::uint32_t request) {
      for (const std::uint32_t i : naming(ref.rank).at(request)) require(keep, {ref.rank, i});
    });
  }

  // The events of a rank by the requests that they name; few ranks are ever asked for.
  const Naming& naming(std::int32_t rank) {
    Naming& named = naming_[static_cast<std::size_t>(rank)];
    if (!named.empty()) return named;
    const std::vector<Event>& events = scenario_.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t i = 0; i < events.size(); ++i)
      for_each_request(events[i], [&](std::uint32_t request) { named[request].push_back(i); });
    return named;
  }

  bool is_seed(EventRef ref) const { return std::binary_search(seeds_.begin(), seeds_.end(), ref); }

  template <class Needs>
  void mark(Selection& keep, const std::vector<EventRef>& seeds, Needs needs) {
    seeds_ = seeds;
    std::sort(seeds_.begin(), seeds_.end());
    for (const EventRef ref : seeds) require(keep, ref);
    std::vector<std::uint8_t> met(groups_.size(), 0);  // each is walked once: a collective has as many calls as ranks
    while (!open_.empty()) {
      const EventRef ref = open_.back();
      open_.pop_back();
      if (const std::uint32_t group = groups_.of(ref); std::exchange(met[group], 1) == 0)
        for (const EventRef partner : groups_.members(group)) require(keep, partner);
      needs(ref);
    }
  }

  const Scenario& scenario_;
  const Groups& groups_;
  std::vector<Naming> naming_;  // by rank
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
      const auto groups = std::make_shared<SharedGroups>();
      for (const auto slice : {&Slicer::tight, &Slicer::with_ranks, &Slicer::past}) {
        proposals.push_back(
            [now, failure, groups, slice] { return cut(*now, (Slicer(*now, groups->of(*now)).*slice)(failure)); });
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

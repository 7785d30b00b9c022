#include "reducers/searches.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <unordered_map>
#include <utility>

namespace petri::reduce {
namespace {

void take_away(Selection& keep, const Unit& unit) {
  for (const std::int32_t rank : unit.ranks) keep.ranks[static_cast<std::size_t>(rank)] = 0;
  for (const std::int32_t comm : unit.comms) keep.comms[static_cast<std::size_t>(comm)] = 0;
  for (const EventRef event : unit.events) keep.drop(event);
}

// Where the parts of a scenario are in a reduction of it.
class Survivors {
 public:
  Survivors(const Scenario& before, const Scenario& now) : before_(before), now_(now) {
    std::unordered_map<std::int32_t, std::int32_t> by_original;
    for (std::int32_t rank = 0; rank < now.world(); ++rank) by_original.emplace(original_rank(now, rank), rank);
    for (std::int32_t rank = 0; rank < before.world(); ++rank) {
      const auto found = by_original.find(original_rank(before, rank));
      ranks_.push_back(found == by_original.end() ? kGone : found->second);
    }
  }

  // Adds what is left of a unit; false where nothing is.
  bool add_to(Units& units, const Unit& unit) const {
    std::vector<std::int32_t> ranks, comms;
    std::vector<EventRef> events;
    for (const std::int32_t rank : unit.ranks) {
      if (ranks_[static_cast<std::size_t>(rank)] != kGone) ranks.push_back(ranks_[static_cast<std::size_t>(rank)]);
    }
    for (const std::int32_t comm : unit.comms) {
      const std::int32_t index = now_.find_comm(before_.comms[static_cast<std::size_t>(comm)].name);
      if (index != kNoComm) comms.push_back(index);
    }
    for (const EventRef ref : unit.events) {
      if (const auto event = find(ref)) events.push_back(*event);
    }
    if (ranks.empty() && comms.empty() && events.empty()) return false;
    units.add({ranks, comms, events});
    return true;
  }

 private:
  static constexpr std::int32_t kGone = -1;

  // By local sequence number, which reductions keep.
  std::optional<EventRef> find(EventRef ref) const {
    const std::int32_t rank = ranks_[static_cast<std::size_t>(ref.rank)];
    if (rank == kGone) return std::nullopt;
    const std::vector<Event>& events = now_.ranks[static_cast<std::size_t>(rank)].events;
    const std::uint32_t seq = at(before_, ref).seq;
    const auto place = std::ranges::lower_bound(events, seq, {}, &Event::seq);
    if (place == events.end() || place->seq != seq) return std::nullopt;
    return EventRef{rank, static_cast<std::uint32_t>(place - events.begin())};
  }

  const Scenario& before_;
  const Scenario& now_;
  std::vector<std::int32_t> ranks_;  // by rank before
};

class RemoveUnits final : public Search {
 public:
  RemoveUnits(ScenarioPtr base, Units units, std::vector<std::uint32_t> order)
      : base_(std::move(base)),
        base_events_(base_->event_count()),
        units_(std::make_shared<const Units>(std::move(units))),
        keep_(Selection::all(*base_)),
        left_(std::move(order)),
        chunk_(left_.size()) {}

  std::unique_ptr<Search> clone() const override { return std::make_unique<RemoveUnits>(*this); }
  bool done() const override { return chunk_ == 0 || left_.empty(); }

  std::optional<Scenario> apply() const override {
    Selection keep = keep_;
    for (std::size_t i = at_; i < end(); ++i) take_away(keep, (*units_)[left_[i]]);
    return cut(*base_, keep);
  }

  void rejected() override {
    at_ = end();
    next_level_at_the_end();
  }

  void accepted(const ScenarioPtr& now) override {
    for (std::size_t i = at_; i < end(); ++i) take_away(keep_, (*units_)[left_[i]]);
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at_), left_.begin() + static_cast<std::ptrdiff_t>(end()));
    if (now->event_count() < base_events_ / 2) rebase(now);
    next_level_at_the_end();
  }

 private:
  std::size_t end() const { return std::min(at_ + chunk_, left_.size()); }

  void next_level_at_the_end() {
    if (at_ < left_.size()) return;
    at_ = 0;
    chunk_ = chunk_ <= 1 ? 0 : std::min((chunk_ + 1) / 2, std::max<std::size_t>(left_.size(), 1));
  }

  // Units of which repair left nothing are taken away already.
  void rebase(const ScenarioPtr& now) {
    const Survivors survivors(*base_, *now);
    Units units;
    std::size_t at = 0;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (survivors.add_to(units, (*units_)[left_[i]]) && i < at_) ++at;
    }
    at_ = at;
    left_.resize(units.size());
    std::iota(left_.begin(), left_.end(), 0U);
    units_ = std::make_shared<const Units>(std::move(units));
    keep_ = Selection::all(*now);
    base_ = now;
    base_events_ = now->event_count();
  }

  ScenarioPtr base_;
  std::size_t base_events_;
  std::shared_ptr<const Units> units_;
  Selection keep_;
  std::vector<std::uint32_t> left_;  // units not yet taken away
  std::size_t chunk_;                // units that one candidate takes away; 0 at the end
  std::size_t at_ = 0;
};

class TryInOrder final : public Search {
 public:
  TryInOrder(const ScenarioPtr& base, ProposalList list)
      : list_(std::move(list)), proposals_(std::make_shared<const std::vector<Proposal>>(list_(base))) {}

  std::unique_ptr<Search> clone() const override { return std::make_unique<TryInOrder>(*this); }
  bool done() const override { return at_ >= proposals_->size(); }
  std::optional<Scenario> apply() const override { return (*proposals_)[at_](); }
  void rejected() override { ++at_; }
  void accepted(const ScenarioPtr& now) override {
    proposals_ = std::make_shared<const std::vector<Proposal>>(list_(now));
    at_ = 0;
  }

 private:
  ProposalList list_;
  std::shared_ptr<const std::vector<Proposal>> proposals_;
  std::size_t at_ = 0;
};

}  // namespace

Unit Units::operator[](std::size_t unit) const {
  const Ends from = unit == 0 ? Ends{} : ends_[unit - 1];
  const Ends to = ends_[unit];
  return {std::span(ranks_).subspan(from.ranks, to.ranks - from.ranks),
          std::span(comms_).subspan(from.comms, to.comms - from.comms),
          std::span(events_).subspan(from.events, to.events - from.events)};
}

void Units::add(const Unit& unit) {
  ranks_.insert(ranks_.end(), unit.ranks.begin(), unit.ranks.end());
  comms_.insert(comms_.end(), unit.comms.begin(), unit.comms.end());
  events_.insert(events_.end(), unit.events.begin(), unit.events.end());
  ends_.push_back({static_cast<std::uint32_t>(ranks_.size()), static_cast<std::uint32_t>(comms_.size()),
                   static_cast<std::uint32_t>(events_.size())});
}

std::unique_ptr<Search> remove_units(ScenarioPtr base, Units units, const PassContext& context) {
  std::vector<std::uint32_t> order(units.size());
  std::iota(order.begin(), order.end(), 0U);
  if (context.seed != 0) {
    // Written out, because std::shuffle gives other orders in other standard libraries.
    std::mt19937_64 generator(context.seed);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  }
  return std::make_unique<RemoveUnits>(std::move(base), std::move(units), std::move(order));
}

std::unique_ptr<Search> try_in_order(const ScenarioPtr& base, ProposalList list) {
  return std::make_unique<TryInOrder>(base, std::move(list));
}

}  // namespace petri::reduce

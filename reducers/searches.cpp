#include "reducers/searches.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace petri::reduce {
namespace {

void take_away(Selection& keep, const Unit& unit) {
  for (const std::int32_t rank : unit.ranks) keep.ranks[static_cast<std::size_t>(rank)] = 0;
  for (const std::int32_t comm : unit.comms) keep.comms[static_cast<std::size_t>(comm)] = 0;
  for (const EventRef event : unit.events) keep.drop(event);
}

class RemoveUnits final : public Search {
 public:
  RemoveUnits(ScenarioPtr base, std::vector<Unit> units)
      : base_(std::move(base)),
        units_(std::make_shared<const std::vector<Unit>>(std::move(units))),
        keep_(Selection::all(*base_)),
        left_(units_->size()),
        chunk_(units_->size()) {
    std::iota(left_.begin(), left_.end(), std::size_t{0});
  }

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

  void accepted(const ScenarioPtr&) override {
    for (std::size_t i = at_; i < end(); ++i) take_away(keep_, (*units_)[left_[i]]);
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at_), left_.begin() + static_cast<std::ptrdiff_t>(end()));
    next_level_at_the_end();
  }

 private:
  std::size_t end() const { return std::min(at_ + chunk_, left_.size()); }

  void next_level_at_the_end() {
    if (at_ < left_.size()) return;
    at_ = 0;
    chunk_ = chunk_ <= 1 ? 0 : std::min((chunk_ + 1) / 2, std::max<std::size_t>(left_.size(), 1));
  }

  ScenarioPtr base_;
  std::shared_ptr<const std::vector<Unit>> units_;
  Selection keep_;
  std::vector<std::size_t> left_;  // units not yet taken away
  std::size_t chunk_;              // units that one candidate takes away; 0 at the end
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

std::unique_ptr<Search> remove_units(ScenarioPtr base, std::vector<Unit> units, const PassContext& context) {
  if (context.seed != 0) {
    // Written out, because std::shuffle gives other orders in other standard libraries.
    std::mt19937_64 generator(context.seed);
    for (std::size_t i = units.size(); i > 1; --i) std::swap(units[i - 1], units[generator() % i]);
  }
  return std::make_unique<RemoveUnits>(std::move(base), std::move(units));
}

std::unique_ptr<Search> try_in_order(const ScenarioPtr& base, ProposalList list) {
  return std::make_unique<TryInOrder>(base, std::move(list));
}

}  // namespace petri::reduce

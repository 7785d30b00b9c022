#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "harness/trace/forget_buffers.hpp"
#include "reducers/passes.hpp"
#include "reducers/searches.hpp"

namespace petri::reduce {
namespace {

using Counts = std::map<std::int64_t, std::int64_t>;  // what each count becomes; others stay

template <class Visit>
void for_each_count(const EventExtras& x, Visit visit) {
  for (const std::int64_t count : {x.sendcount(), x.recvcount()}) visit(count);
  for (const auto counts : {x.counts(), x.sendcounts(), x.recvcounts()}) {
    for (const std::int64_t count : counts) visit(count);
  }
}

// Payload in a file has its own size; an event with one keeps its counts.
bool is_fixed(const Event& event) {
  return !event.extras.npy().empty();
}

// Does a count change? What stays as it is, is shared with other scenarios.
bool names_any(const Event& event, const Counts& counts) {
  bool found = counts.contains(event.count);
  for_each_count(event.extras, [&](std::int64_t count) { found = found || counts.contains(count); });
  return found;
}

void resize(Event& event, const Counts& counts) {
  if (!names_any(event, counts)) return;
  bool changed = false;
  const auto now = [&](std::int64_t count) {
    const auto found = counts.find(count);
    if (found == counts.end() || found->second == count) return count;
    changed = true;
    return found->second;
  };
  const auto all_now = [&](std::vector<std::int64_t> list) {
    for (std::int64_t& count : list) count = now(count);
    return list;
  };
  event.count = now(event.count);
  if (event.extras.empty()) return;
  EventExtras& x = event.extras;
  x.set_sendcount(now(x.sendcount()));
  x.set_recvcount(now(x.recvcount()));
  x.set_counts(all_now(x.counts()));
  x.set_sendcounts(all_now(x.sendcounts()));
  x.set_recvcounts(all_now(x.recvcounts()));
  if (!changed) return;
  if (event.count >= 0 && static_cast<std::size_t>(event.count) < x.values().size()) {
    std::vector<double> fewer = x.values();
    fewer.resize(static_cast<std::size_t>(event.count));
    x.set_values(std::move(fewer));
  }
  // They were taken from buffers of the former size.
  forget_buffers(event);
}

Scenario with_counts(const Scenario& scenario, const Counts& counts) {
  Scenario result = scenario;
  for (RankTrace& rank : result.ranks) {
    for (Event& event : rank.events) {
      if (!is_fixed(event)) resize(event, counts);
    }
  }
  return result;
}

Scenario with_single_polls(const Scenario& scenario) {
  Scenario result = scenario;
  for (RankTrace& rank : result.ranks) {
    for (Event& event : rank.events) {
      if (event.extras.polls() > 1) event.extras.set_polls(1);
    }
  }
  return result;
}

// The counts in use that may change, ascending; zero means "nothing" and stays.
std::vector<std::int64_t> counts_of(const Scenario& scenario) {
  std::set<std::int64_t> counts, fixed;
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      auto& to = is_fixed(event) ? fixed : counts;
      to.insert(event.count);
      for_each_count(event.extras, [&](std::int64_t count) { to.insert(count); });
    }
  }
  std::vector<std::int64_t> free;
  for (const std::int64_t count : counts) {
    if (count > 0 && !fixed.contains(count)) free.push_back(count);
  }
  return free;
}

// First all counts at once to 1, 2, 3 … in their order; where that loses the failure, which then lies in a size, each
// count from the smallest on by bisection between its lower neighbour and itself. Equal counts stay equal, and a larger
// one stays larger.
class PayloadSearch final : public Search {
 public:
  explicit PayloadSearch(ScenarioPtr base) : current_(std::move(base)), values_(counts_of(*current_)) {}

  std::unique_ptr<Search> clone() const override { return std::make_unique<PayloadSearch>(*this); }
  bool done() const override { return stage_ == Stage::each && at_ >= values_.size(); }

  std::optional<Scenario> apply() const override {
    if (stage_ == Stage::polls) return with_single_polls(*current_);
    if (stage_ == Stage::all) {
      Counts counts;
      std::int64_t next = 1;
      for (const std::int64_t value : values_) counts.emplace(value, next++);
      return with_counts(*current_, counts);
    }
    return with_counts(*current_, {{values_[at_], probe()}});
  }

  void rejected() override {
    if (stage_ == Stage::each) {
      low_ = probe() + 1;
      tried_lowest_ = true;
    }
    step(false);
  }

  void accepted(const ScenarioPtr& now) override {
    current_ = now;
    if (stage_ == Stage::each) {
      values_[at_] = probe();
      high_ = values_[at_];
      tried_lowest_ = true;
    } else if (stage_ == Stage::all) {
      values_ = counts_of(*current_);
    }
    step(true);
  }

 private:
  enum class Stage { polls, all, each };

  std::int64_t probe() const { return tried_lowest_ ? low_ + (high_ - low_) / 2 : low_; }

  void step(bool was_accepted) {
    if (stage_ == Stage::polls) {
      stage_ = Stage::all;
    } else if (stage_ == Stage::all) {
      stage_ = Stage::each;
      at_ = was_accepted ? values_.size() : 0;  // nothing can be smaller than 1, 2, 3 …
      begin_value();
      return;
    }
    if (stage_ == Stage::each && low_ >= high_) {
      ++at_;
      begin_value();
    }
  }

  // Bounds of the value at the cursor; passes over values that cannot shrink.
  void begin_value() {
    for (; at_ < values_.size(); ++at_) {
      low_ = at_ == 0 ? 1 : values_[at_ - 1] + 1;
      high_ = values_[at_];
      tried_lowest_ = false;
      if (low_ < high_) return;
    }
  }

  ScenarioPtr current_;
  std::vector<std::int64_t> values_;
  Stage stage_ = Stage::polls;
  std::size_t at_ = 0;
  std::int64_t low_ = 0, high_ = 0;
  bool tried_lowest_ = false;
};

class ShrinkPayload final : public Pass {
 public:
  std::string_view name() const override { return "shrink payload"; }
  bool may_meet_others() const override { return false; }
  std::unique_ptr<Search> propose(const ScenarioPtr& current, const PassContext&) const override {
    return std::make_unique<PayloadSearch>(current);
  }
};

}  // namespace

PassPtr shrink_payload() {
  return std::make_unique<ShrinkPayload>();
}

}  // namespace petri::reduce

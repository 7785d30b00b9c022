#include "harness/diagnose/odd_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {
namespace {

// What is the same in each repetition: not sizes by member, which a router draws anew, and no request numbers.
auto habit_of(const Event& event) {
  const EventExtras& extras = event.extras;
  return std::tuple(event.op, event.comm, event.peer, tag_of(event), event.root, event.count, event.dtype, event.site,
                    extras.sendpeer(), extras.recvpeer(), extras.sendtag(), extras.recvtag(), extras.requests().size());
}

struct OddStep {
  std::int32_t rank = 0;
  std::int32_t step = 0;
  EventRef instead;               // the first call that none of its steps before had there, or what came after the step
  std::optional<EventRef> usual;  // what stood there in the step before that agrees the longest; nothing: its end
  bool habitual = false;          // that step has a twin: the rank has a habit to break
};

class Steps {
 public:
  // The steps of a rank up to where it stands. What it does between calls is no part of them.
  Steps(const Scenario& scenario, const model::Run& run, std::int32_t rank)
      : rank_(rank), events_(scenario.ranks[static_cast<std::size_t>(rank)].events) {
    const auto slot = static_cast<std::size_t>(rank);
    const std::size_t came = std::min<std::size_t>(run.index[slot] + std::size_t{1}, events_.size());
    for (std::uint32_t index = 0; index < came; ++index) {
      const Event& event = events_[index];
      several_lanes_ = several_lanes_ || event.extras.thread().value_or(0) != 0 || !event.extras.stream().empty();
      if (event.step == kUnset || kind_of(event.op) == OpKind::world || kind_of(event.op) == OpKind::host) continue;
      calls_[event.step].push_back(index);
    }
    if (run.truncated[slot] && !calls_.empty()) calls_.erase(calls_.begin());  // its beginning is lost
    stands_ = came == 0 ? 0 : static_cast<std::uint32_t>(came - 1);
  }

  // Has it a step before this one?
  bool comparable(std::int32_t step) const {
    const auto found = step_of(step);
    return !several_lanes_ && found != calls_.end() && found != calls_.begin();
  }

  // What the step has that none before has, or nothing.
  std::optional<OddStep> difference(std::int32_t step) const {
    const auto here = step_of(step);
    const auto& calls = here->second;
    const bool over = events_[stands_].step != here->first;
    auto nearest = here;
    std::size_t longest = 0;
    for (auto before = calls_.begin(); before != here; ++before) {
      const std::size_t length = common(calls, before->second);
      if (length == calls.size() && (!over || length == before->second.size())) return std::nullopt;
      if (nearest != here && length < longest) continue;
      longest = length;
      nearest = before;
    }
    OddStep odd{rank_, here->first, {rank_, std::min(calls.back() + 1, stands_)}, std::nullopt, false};
    if (longest < calls.size()) odd.instead.index = calls[longest];
    if (longest < nearest->second.size()) odd.usual = EventRef{rank_, nearest->second[longest]};
    odd.habitual = std::any_of(calls_.begin(), here, [&](const auto& other) {
      return other.first != nearest->first && other.second.size() == nearest->second.size() &&
             common(other.second, nearest->second) == other.second.size();
    });
    return odd;
  }

 private:
  using ByStep = std::map<std::int32_t, std::vector<std::uint32_t>>;
  // How many calls two steps have in common at their beginning.
  std::size_t common(const std::vector<std::uint32_t>& ones, const std::vector<std::uint32_t>& others) const {
    const auto alike = [&](auto one, auto other) { return habit_of(events_[one]) == habit_of(events_[other]); };
    const auto differ = std::mismatch(ones.begin(), ones.end(), others.begin(), others.end(), alike);
    return static_cast<std::size_t>(differ.first - ones.begin());
  }

  ByStep::const_iterator step_of(std::int32_t step) const {
    if (step != kUnset) return calls_.find(step);
    return calls_.empty() ? calls_.end() : std::prev(calls_.end());
  }

  std::int32_t rank_;
  const std::vector<Event>& events_;
  ByStep calls_;
  bool several_lanes_ = false;
  std::uint32_t stands_ = 0;
};

std::optional<OddStep> find(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& suspects,
                            std::int32_t step) {
  std::optional<OddStep> found;
  for (const std::int32_t rank : suspects) {
    const Steps steps(scenario, run, rank);
    if (!steps.comparable(step)) return std::nullopt;
    const auto difference = steps.difference(step);
    if (!difference) continue;
    if (found || !difference->habitual) return std::nullopt;
    found = difference;
  }
  return found;
}

}  // namespace

std::optional<Testimony> odd_step(const Scenario& scenario, const model::Run& run,
                                  const std::vector<std::int32_t>& suspects, std::int32_t step) {
  const auto odd = find(scenario, run, suspects, step);
  if (!odd) return std::nullopt;
  const std::string instead = event_text(scenario, odd->instead);
  const std::string usual = odd->usual ? event_text(scenario, *odd->usual) : "the end of the step";
  Testimony told = explained({odd->rank}, {odd->instead},
                             fmt::format("Rank {} did in step {} what it had done in none of its steps before: {} ({}) "
                                         "came where {} was expected.",
                                         odd->rank, odd->step, instead, place_text(at(scenario, odd->instead)), usual));
  told.expected = fmt::format("{}, as in the steps before", usual);
  told.actual = fmt::format("rank {}: {}", odd->rank, instead);
  std::vector<std::int32_t> others = suspects;
  std::erase(others, odd->rank);
  told.evidence = {
      fmt::format("{} did what {} had done in a step before", ranks_text(others), others.size() == 1 ? "it" : "they")};
  return told;
}

}  // namespace petri::diagnosis

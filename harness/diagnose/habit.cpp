#include "harness/diagnose/habit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/diagnose/describe.hpp"
#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastRepetitions = 2;  // so often must the usual successor have been seen

struct BrokenHabit {
  std::vector<std::int32_t> ranks;  // ascending; the events are the first one's
  std::optional<EventRef> before;   // the call after which the usual one is missing; nothing: at the beginning
  EventRef instead;                 // what came instead
  std::string usual;                // what follows everywhere else, in words
  bool made_next = false;           // the usual call came after all, one call late
  bool waits = false;               // the ranks wait in `instead` for those that do the usual thing
};

Testimony testimony_of(const Scenario& scenario, const BrokenHabit& habit) {
  Testimony told;
  told.culprits = habit.ranks;
  std::string place = "at its beginning";
  if (habit.before) {
    told.events.push_back(*habit.before);
    const Event& before = at(scenario, *habit.before);
    place = fmt::format("after {} ({})", event_text(scenario, before), place_text(before));
  }
  told.events.push_back(habit.instead);
  const std::string who = sentence_start(habit.ranks), instead = event_text(scenario, habit.instead);
  told.expected = fmt::format("{} {}", habit.usual, place);
  told.actual = fmt::format("{}: {}", ranks_text(habit.ranks), instead);
  told.text = fmt::format("{} left out {} {}, and went on to {}.", who, habit.usual, place, instead);
  if (habit.waits) told.text = fmt::format("{} called {} {}, where {} comes.", who, instead, place, habit.usual);
  if (habit.made_next) told.text = fmt::format("{} called {} before {}, {}.", who, instead, habit.usual, place);
  told.evidence = {fmt::format("in all other places of the record {} comes there", habit.usual)};
  return told;
}

// What makes two calls the same habit: operation, communicator, partner and place, not sizes.
std::string habit_of(const Scenario& scenario, const Event& event) {
  return fmt::format("{}|{}|{}|{}|{}", name_of(event.op), event.comm, event.peer, event.tag, scenario.site_of(event));
}

using Successors = std::map<std::string, std::vector<EventRef>>;  // where each stands, by habit

class Judge {
 public:
  Judge(const Scenario& scenario, const model::Run& run, const WaitGraph& graph, const Component& component)
      : scenario_(scenario), run_(run), graph_(graph), component_(component) {}

  // Would `usual`, made by the rank of `odd` before it, end a wait of the component?
  bool is_missed(EventRef odd, EventRef usual) const {
    for (const std::uint32_t number : component_.nodes) {
      const Node& node = graph_.nodes()[number];
      for (const Link& link : node.links) {
        if (std::find(link.targets.begin(), link.targets.end(), odd.rank) == link.targets.end()) continue;
        for (const std::int32_t waiting : node.ranks)
          if (answers(usual, odd.rank, link, waiting) && !met_after(odd, waiting)) return true;
      }
    }
    return false;
  }

  // A loop that ends looks like a broken habit. So the usual call must have been made in such a place before, or by
  // another rank, and the rank must go on with what it did, or with what follows the usual call, or another rank end
  // with the usual call.
  bool is_no_end(EventRef odd, const std::string& call, const std::vector<EventRef>& usual) const {
    const auto any = [&](const auto& holds) { return std::any_of(usual.begin(), usual.end(), holds); };
    const bool known = any([&](EventRef ref) { return ref.rank != odd.rank || ref.index < odd.index; });
    const bool goes_on =
        last_call(odd.rank) == call || any([&](EventRef ref) { return go_on_alike(odd, ref); }) ||
        any([&](EventRef ref) { return ref.rank == odd.rank ? ref.index > odd.index : last_call(ref.rank) != call; });
    return known && goes_on;
  }

 private:
  bool answers(EventRef usual, std::int32_t by, const Link& link, std::int32_t waiting) const {
    const Event& made = at(scenario_, usual);
    const Event& posted = at(scenario_, link.posted);
    if (made.comm != posted.comm) return false;
    const std::int32_t peer = run_.gatherings.peer_index(made.comm, by, wanted_peer(made, link));
    const auto& members = run_.gatherings.ranks_of(made.comm);
    const auto names = [&] {
      return peer >= 0 && static_cast<std::size_t>(peer) < members.size() &&
             members[static_cast<std::size_t>(peer)] == waiting;
    };
    if (link.kind == model::Atom::message) {
      const std::int32_t wanted = model::recv_half(posted).tag;
      return names() && (wanted == kAny || wanted == model::send_half(made).tag);
    }
    if (link.kind != model::Atom::receiver) return false;
    const model::Half taken = model::recv_half(made);
    return (taken.peer == kAny || names()) && (taken.tag == kAny || taken.tag == model::send_half(posted).tag);
  }

  // The peer of the half that a link waits for.
  static std::int32_t wanted_peer(const Event& made, const Link& link) {
    return link.kind == model::Atom::message ? model::send_half(made).peer : model::recv_half(made).peer;
  }

  // A collective in which both came together later: what was missing before it would have been missed there.
  bool met_after(EventRef odd, std::int32_t waiting) const {
    const auto& all = run_.gatherings.all();
    return std::any_of(all.begin(), all.end(), [&](const model::Gathering& gathering) {
      if (gathering.missing != 0 || gathering.conflicted) return false;
      const std::int32_t own = run_.gatherings.member_index(gathering, odd.rank);
      if (own < 0 || run_.gatherings.member_index(gathering, waiting) < 0) return false;
      const std::uint32_t arrival = gathering.arrivals[static_cast<std::size_t>(own)];
      return arrival < model::kBefore && arrival >= odd.index;
    });
  }

  bool go_on_alike(EventRef one, EventRef other) const {
    const auto next = [&](EventRef ref) -> const Event* {
      const auto& events = scenario_.ranks[static_cast<std::size_t>(ref.rank)].events;
      return ref.index + 1 < events.size() ? &events[ref.index + 1] : nullptr;
    };
    const Event *after_one = next(one), *after_other = next(other);
    return after_one != nullptr && after_other != nullptr &&
           habit_of(scenario_, *after_one) == habit_of(scenario_, *after_other);
  }

  std::string last_call(std::int32_t rank) const {
    return habit_of(scenario_, scenario_.ranks[static_cast<std::size_t>(rank)].events.back());
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const WaitGraph& graph_;
  const Component& component_;
};

}  // namespace

std::optional<Testimony> broken_habit(const Scenario& scenario, const model::Run& run, const WaitGraph& graph,
                                      const Component& component, const std::vector<std::int32_t>& ranks) {
  std::map<std::string, Successors> after;
  for (const std::int32_t rank : ranks) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    // A sequence may end in another way than it goes on.
    for (std::uint32_t index = 1; index < events.size(); ++index)
      if (kind_of(events[index].op) != OpKind::world)
        after[habit_of(scenario, events[index - 1])][habit_of(scenario, events[index])].push_back({rank, index});
  }
  const Judge judge(scenario, run, graph, component);
  std::optional<BrokenHabit> found;
  for (const auto& [call, successors] : after) {
    if (successors.size() != 2) continue;
    const auto& one = successors.begin()->second;
    const auto& other = successors.rbegin()->second;
    const auto& rare = one.size() < other.size() ? one : other;
    const auto& usual = one.size() < other.size() ? other : one;
    if (rare.size() != 1 || usual.size() < kLeastRepetitions) continue;
    const EventRef odd = rare.front();
    if (!judge.is_missed(odd, usual.front()) || !judge.is_no_end(odd, call, usual)) continue;
    if (found && found->instead.rank != odd.rank) return std::nullopt;
    if (!found || odd.index < found->instead.index)
      found = BrokenHabit{{odd.rank}, EventRef{odd.rank, odd.index - 1}, odd, event_text(scenario, usual.front())};
  }
  return found ? std::optional(testimony_of(scenario, *found)) : std::nullopt;
}

std::optional<Parting> parting_at(const model::Run& run, const Link& link, const Precedents& precedents) {
  Parting parting;
  const model::Gathering& gathering = run.gatherings[link.gathering];
  const auto& members = run.gatherings.members(gathering);
  for (std::size_t member = 0; member < members.size(); ++member)
    if (gathering.arrivals[member] < model::kBefore)
      parting.came.push_back({members[member], gathering.arrivals[member]});
  for (const std::int32_t rank : link.targets) {
    const auto here = static_cast<std::uint32_t>(run.index[static_cast<std::size_t>(rank)]);
    const auto instead = precedents.instead_of(link.posted, rank, here);
    if (!instead) return std::nullopt;
    parting.instead.push_back(*instead);
  }
  return parting;
}

namespace {

BrokenHabit habit_broken_by(const Scenario& scenario, const Precedents& precedents, const std::vector<EventRef>& odd,
                            const std::vector<EventRef>& usual) {
  BrokenHabit habit;
  for (const EventRef ref : odd) habit.ranks.push_back(ref.rank);
  std::sort(habit.ranks.begin(), habit.ranks.end());
  habit.instead = odd.front();
  if (habit.instead.index > 0) habit.before = EventRef{habit.instead.rank, habit.instead.index - 1};
  habit.usual = event_text(scenario, usual.front());
  const auto& events = scenario.ranks[static_cast<std::size_t>(habit.instead.rank)].events;
  const EventRef next{habit.instead.rank, habit.instead.index + 1};
  habit.made_next = next.index < events.size() && precedents.are_alike(next, usual.front());
  return habit;
}

}  // namespace

std::optional<Testimony> broken_habit_at_a_collective(const Scenario& scenario, const model::Run& run,
                                                      const WaitGraph& graph, const Component& component,
                                                      const Precedents& precedents) {
  std::optional<BrokenHabit> found;
  for (const std::uint32_t node : component.nodes) {
    for (const Link& link : graph.nodes()[node].links) {
      if (link.kind != model::Atom::gathering || link.meets) continue;
      const auto parting = parting_at(run, link, precedents);
      if (!parting) continue;
      // What most of them do at one place is usual, though none did it before.
      const auto is_odd = [&](const std::vector<EventRef>& one, const std::vector<EventRef>& other) {
        return one.size() <= other.size() && precedents.is_odd(one, other);
      };
      const bool left_out = is_odd(parting->instead, parting->came);
      if (!left_out && !is_odd(parting->came, parting->instead)) continue;
      BrokenHabit habit = left_out ? habit_broken_by(scenario, precedents, parting->instead, parting->came)
                                   : habit_broken_by(scenario, precedents, parting->came, parting->instead);
      habit.waits = !left_out;
      // Each side of a cycle tells the same story: that a call is missing says more than that another came.
      if (found && (found->instead != habit.instead || found->ranks != habit.ranks)) return std::nullopt;
      if (!found || left_out) found = std::move(habit);
    }
  }
  return found ? std::optional(testimony_of(scenario, *found)) : std::nullopt;
}

}  // namespace petri::diagnosis

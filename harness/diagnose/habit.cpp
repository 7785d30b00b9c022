#include "harness/diagnose/habit.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "harness/diagnose/describe.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::size_t kLeastRepetitions = 2;  // so often must the usual successor have been seen

// What makes two calls the same habit: operation, communicator, partner and place, not sizes.
std::string habit_of(const Scenario& scenario, const Event& event) {
  return fmt::format("{}|{}|{}|{}|{}", name_of(event.op), event.comm, event.peer, event.tag, scenario.site_of(event));
}

struct Successors {
  std::map<std::string, std::vector<EventRef>> by_call;  // where each successor stands
};

}  // namespace

std::optional<BrokenHabit> broken_habit(const Scenario& scenario, const std::vector<std::int32_t>& ranks) {
  std::map<std::string, Successors> after;
  for (const std::int32_t rank : ranks) {
    const auto& events = scenario.ranks[static_cast<std::size_t>(rank)].events;
    for (std::uint32_t index = 1; index < events.size(); ++index)
      after[habit_of(scenario, events[index - 1])].by_call[habit_of(scenario, events[index])].push_back({rank, index});
  }
  std::optional<BrokenHabit> found;
  for (const auto& [call, successors] : after) {
    if (successors.by_call.size() != 2) continue;
    const auto& one = successors.by_call.begin()->second;
    const auto& other = successors.by_call.rbegin()->second;
    const auto& rare = one.size() < other.size() ? one : other;
    const auto& usual = one.size() < other.size() ? other : one;
    if (rare.size() != 1 || usual.size() < kLeastRepetitions) continue;
    const EventRef odd = rare.front();
    // A sequence may end in another way than it goes on: only a call of the usual kind that is missing counts.
    if (kind_of(at(scenario, odd).op) == OpKind::world) continue;
    if (found && found->instead.rank != odd.rank) return std::nullopt;
    if (!found || odd.index < found->instead.index)
      found = BrokenHabit{{odd.rank, odd.index - 1}, odd, event_text(scenario, usual.front())};
  }
  return found;
}

}  // namespace petri::diagnosis

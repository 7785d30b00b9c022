#include "harness/worker/plan/windows.hpp"

#include <algorithm>
#include <limits>

#include "harness/worker/plan/memory.hpp"
#include "harness/worker/plan/plan.hpp"

namespace petri {
namespace {

using enum Op;

bool makes_window(Op op) {
  return op == win_create || op == win_create_dynamic || op == win_allocate || op == win_allocate_shared;
}

// What accesses touch of one rank's memory.
struct Touched {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;

  void add(std::int64_t at, std::uint64_t bytes) {
    first = std::min(first, at);
    const std::uint64_t most =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max() - std::max(at, std::int64_t{0}));
    end = std::max(end, std::max(at, std::int64_t{0}) + static_cast<std::int64_t>(std::min(bytes, most)));
  }
};

std::uint64_t bytes_of_access(const Event& event) {
  const std::uint64_t elements = event.count == kUnknownCount ? 1 : static_cast<std::uint64_t>(event.count);
  std::uint64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(elements, bytes_of_element(event.dtype), &bytes);
  return fits ? bytes : std::numeric_limits<std::uint64_t>::max();
}

std::optional<EventRef> first_call_on(const Scenario& scenario, const std::string& window) {
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    const std::vector<Event>& events = scenario.ranks[rank].events;
    for (std::size_t i = 0; i < events.size(); ++i)
      if (events[i].extras.win() == window)
        return EventRef{static_cast<std::int32_t>(rank), static_cast<std::uint32_t>(i)};
  }
  return std::nullopt;
}

}  // namespace

std::map<std::string, WindowPlan> windows_of(const Scenario& scenario) {
  std::map<std::string, WindowPlan> windows;
  std::map<std::string, std::map<std::int32_t, Touched>> touched;
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      const EventExtras& extras = event.extras;
      if (extras.win().empty()) continue;
      WindowPlan& window = windows[extras.win()];
      if (window.comm == kNoComm) window.comm = event.comm;
      if (makes_window(event.op)) {
        window.comm = event.comm;
        window.created = true;
        window.dynamic = event.op == win_create_dynamic;
      }
      if (kind_of(event.op) != OpKind::rma || !extras.target()) continue;
      touched[extras.win()][*extras.target()].add(extras.disp().value_or(0), bytes_of_access(event));
    }
  }
  for (auto& [name, window] : windows) {
    if (window.comm == kNoComm) continue;
    const std::size_t members = scenario.comms[static_cast<std::size_t>(window.comm)].ranks.size();
    window.bytes.assign(members, 0);
    window.first.assign(members, 0);
    for (const auto& [target, place] : touched[name]) {
      if (target < 0 || static_cast<std::size_t>(target) >= members) continue;
      const std::int64_t first = window.dynamic ? place.first : 0;
      window.first[static_cast<std::size_t>(target)] = first;
      window.bytes[static_cast<std::size_t>(target)] =
          static_cast<std::uint64_t>(std::max(place.end, std::int64_t{0})) -
          static_cast<std::uint64_t>(std::max(first, std::int64_t{0}));
    }
  }
  return windows;
}

std::optional<Refusal> reason_against_windows(const Scenario& scenario) {
  const std::vector<std::int32_t> at_start = communicators_made_at_start(scenario);
  for (const auto& [name, window] : windows_of(scenario)) {
    const auto refused = [&, &name = name](const std::string& reason) {  // clang 14 captures no binding as it is
      return Refusal{"window " + name + ": " + reason, first_call_on(scenario, name)};
    };
    if (window.comm == kNoComm || !scenario.comms[static_cast<std::size_t>(window.comm)].known)
      return refused("the members of its communicator are not known");
    const bool there = window.comm == 0 || std::find(at_start.begin(), at_start.end(), window.comm) != at_start.end();
    if (!window.created && !there)
      return refused("no event makes it, and its communicator is not there from the start");
    for (const std::uint64_t bytes : window.bytes) {
      if (bytes > kMostBytesAtOnce)
        return refused("its accesses need more than the " + std::to_string(kMostBytesAtOnce >> 20) +
                       " MiB that a replay allows a rank's part");
    }
  }
  return std::nullopt;
}

std::uint64_t window_bytes(const Scenario& scenario) {
  std::uint64_t sum = 0;
  for (const auto& [name, window] : windows_of(scenario)) {
    for (const std::uint64_t bytes : window.bytes) sum += bytes;
  }
  return sum;
}

}  // namespace petri

#include "harness/worker/plan/account.hpp"

#include <algorithm>

#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/replay_log.hpp"

namespace petri {
namespace {

// A rank's recorded events by their number since the start; a ring may have lost the first ones.
class Recorded {
 public:
  explicit Recorded(const std::vector<Event>& events) : events_(events) {}

  // The last event with a number in [first, last), or null.
  const Event* last_in(std::uint64_t first, std::uint64_t last) const {
    const auto after = std::lower_bound(events_.begin(), events_.end(), last,
                                        [](const Event& event, std::uint64_t number) { return event.seq < number; });
    if (after == events_.begin() || std::prev(after)->seq < first) return nullptr;
    return &*std::prev(after);
  }

 private:
  const std::vector<Event>& events_;
};

// What only the run itself knows.
void take_outcome(Event& event, const Event& seen) {
  event.state = seen.state;
  event.matched = seen.matched;
  // A replay that forces the order receives from the very rank that the scenario's wildcard got.
  const bool forced = event.peer == kAny && seen.peer >= 0;
  if (forced && seen.state == EventState::completed) event.matched = seen.peer;
  event.flag = seen.flag;
  event.time = seen.time;
  event.coll_seq = kUnset;
  const EventExtras& outcome = seen.extras.get();
  const bool plain = event.extras.empty() && outcome.polls == 0 && outcome.error.empty() && !outcome.index &&
                     outcome.indices.empty() && !outcome.in && !outcome.out;
  if (plain) return;
  EventExtras& extras = event.extras.edit();
  extras.polls = outcome.polls;
  extras.error = outcome.error;
  extras.index = outcome.index;
  extras.indices = outcome.indices;
  extras.in = outcome.in;
  extras.out = outcome.out;
}

// What an event without a trace in the recording went through: a host event, or a wait for nothing.
void take_nothing(Event& event, bool left) {
  event.state = left ? EventState::completed : EventState::started;
  event.matched = kUnset;
}

RankEnd end_of(const RankTrace& original, const RankEnd& seen, bool idle) {
  if (idle) return original.end;  // it stays where its record ends: that it was stopped says nothing
  RankEnd end = seen;
  end.dropped = original.end.dropped;
  if (end.kind == EndKind::missing) end.kind = EndKind::running;  // it has not got to its record yet
  return end;
}

RankTrace account_of_rank(const RankTrace& original, const RankTrace& seen, const std::vector<std::uint64_t>& log,
                          bool idle) {
  RankTrace account;
  const Recorded recorded(seen.events);
  const std::uint64_t all = seen.events.empty() ? 0 : std::uint64_t{seen.events.back().seq} + 1;
  const auto end_of_event = [&](std::size_t index) { return index + 1 < log.size() ? log[index + 1] : all; };
  const std::size_t begun = std::min(log.size(), original.events.size());
  for (std::size_t index = 0; index < begun; ++index) {
    Event event = original.events[index];
    const Event* trace = recorded.last_in(log[index], end_of_event(index));
    if (trace != nullptr) {
      take_outcome(event, *trace);
    } else {
      take_nothing(event, index + 1 < log.size());
    }
    account.events.push_back(std::move(event));
  }
  account.end = end_of(original, seen.end, idle);
  const bool past_the_last = log.size() > original.events.size();
  const Event* last = past_the_last ? recorded.last_in(log.back(), all) : nullptr;
  if (last != nullptr && last->op == Op::finalize && last->state != EventState::completed) {
    Event finalize = *last;
    finalize.seq = original.events.empty() ? 0 : original.events.back().seq + 1;
    finalize.site = kNoSymbol;
    account.events.push_back(std::move(finalize));
  }
  return account;
}

}  // namespace

bool ReplayState::settled(const Scenario& recording) const {
  bool somebody_stays = false;
  for (std::size_t rank = 0; rank < idle.size(); ++rank) {
    if (idle[rank]) {
      somebody_stays = true;
      continue;
    }
    if (logs[rank].empty() || rank >= recording.ranks.size() || recording.ranks[rank].events.empty()) return false;
    const Event& last = recording.ranks[rank].events.back();
    if (last.state != EventState::started) return false;
    somebody_stays = somebody_stays || last.op != Op::finalize;
  }
  return somebody_stays;
}

ReplayState read_replay_state(const std::filesystem::path& recording, std::int32_t world) {
  ReplayState state;
  for (std::int32_t rank = 0; rank < world; ++rank) {
    state.logs.push_back(read_replay_log(recording, rank));
    state.idle.push_back(rest_of(recording, rank) == Rest::idle);
  }
  return state;
}

Scenario account_of(const Scenario& scenario, const Scenario& recording, const ReplayState& state) {
  Scenario account = scenario;
  RankTrace nothing;
  nothing.end.kind = EndKind::missing;
  for (std::size_t rank = 0; rank < account.ranks.size(); ++rank) {
    const RankTrace& seen = rank < recording.ranks.size() ? recording.ranks[rank] : nothing;
    account.ranks[rank] = account_of_rank(scenario.ranks[rank], seen, state.logs[rank], state.idle[rank]);
  }
  account.cut = false;
  return account;
}

Scenario account_with_rest(const Scenario& scenario, const Scenario& recording, const ReplayState& state) {
  Scenario account = account_of(scenario, recording, state);
  for (std::size_t rank = 0; rank < account.ranks.size(); ++rank) {
    const std::vector<Event>& all = scenario.ranks[rank].events;
    std::vector<Event>& begun = account.ranks[rank].events;
    for (std::size_t index = begun.size(); index < all.size(); ++index) {
      begun.push_back(all[index]);
      begun.back().state = EventState::scheduled;
      begun.back().matched = kUnset;
    }
    // It was stopped on its way there.
    if (account.ranks[rank].end.kind == EndKind::running) account.ranks[rank].end = scenario.ranks[rank].end;
  }
  return account;
}

}  // namespace petri

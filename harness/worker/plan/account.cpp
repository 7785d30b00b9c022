#include "harness/worker/plan/account.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/replay_log.hpp"

namespace petri {
namespace {

// A rank's recorded events by their number since the start; a ring may have lost the first ones.
class Recorded {
 public:
  explicit Recorded(const std::vector<Event>& events) : events_(events) {}

  // The last event with a number in [first, last) of this thread (nothing: of any), or null.
  const Event* last_in(std::uint64_t first, std::uint64_t last, std::optional<std::int32_t> thread) const {
    auto after = std::lower_bound(events_.begin(), events_.end(), last,
                                  [](const Event& event, std::uint64_t number) { return event.seq < number; });
    while (after != events_.begin() && std::prev(after)->seq >= first) {
      --after;
      if (!thread || after->extras.thread().value_or(0) == *thread) return &*after;
    }
    return nullptr;
  }
  const Event* last(std::optional<std::int32_t> thread) const { return last_in(0, all(), thread); }
  std::uint64_t all() const { return events_.empty() ? 0 : std::uint64_t{events_.back().seq} + 1; }

 private:
  const std::vector<Event>& events_;
};

// The recorder's numbers of a rank's requests, and the scenario's own.
using RequestNames = std::map<std::uint32_t, std::uint32_t>;

// The place in the scenario's list of requests of the `index`-th that the recording names: the recorder leaves out
// requests that were no longer active.
std::optional<std::int32_t> place_of_request(const Event& event, const Event& seen, const RequestNames& names,
                                             std::size_t index) {
  if (index >= seen.extras.requests().size()) return std::nullopt;
  const auto name = names.find(seen.extras.requests()[index]);
  if (name == names.end()) return std::nullopt;
  const std::vector<std::uint32_t>& requests = event.extras.requests();
  const auto place = std::find(requests.begin(), requests.end(), name->second);
  if (place == requests.end()) return std::nullopt;
  return static_cast<std::int32_t>(place - requests.begin());
}

// Which of several requests a call completed.
void take_completed(Event& event, const Event& seen, const RequestNames& names) {
  const EventExtras& outcome = seen.extras;
  EventExtras& extras = event.extras;
  extras.set_index({});
  if (outcome.index())
    extras.set_index(place_of_request(event, seen, names, static_cast<std::size_t>(*outcome.index())));
  std::vector<std::uint32_t> completed;
  for (const std::uint32_t index : outcome.indices())
    if (const auto place = place_of_request(event, seen, names, index))
      completed.push_back(static_cast<std::uint32_t>(*place));
  std::sort(completed.begin(), completed.end());
  extras.set_indices(completed);
}

// What only the run itself knows.
void take_outcome(Event& event, const Event& seen, const RequestNames& names) {
  event.state = seen.state;
  event.extras.set_matched(seen.extras.matched());
  // A replay that forces the order receives from the very rank that the scenario's wildcard got.
  const bool forced = event.peer == kAny && seen.peer >= 0;
  if (forced && seen.state == EventState::completed) event.extras.set_matched(seen.peer);
  event.flag = seen.flag;
  event.extras.set_coll_seq(kUnset);
  const EventExtras& outcome = seen.extras;
  const bool plain = event.extras.empty() && outcome.polls() == 0 && outcome.error().empty() && !outcome.index() &&
                     outcome.indices().empty() && !outcome.in() && !outcome.out();
  if (plain) return;
  EventExtras& extras = event.extras;
  extras.set_polls(outcome.polls());
  extras.set_error(outcome.error());
  extras.set_in(outcome.in());
  extras.set_out(outcome.out());
  extras.set_orders({});  // it summed in its library's own
  if (!extras.requests().empty()) return take_completed(event, seen, names);
  extras.set_index(outcome.index());
  extras.set_indices(outcome.indices());
}

// What an event without a trace in the recording went through: a host event, or a wait for nothing.
void take_nothing(Event& event, bool left) {
  event.state = left ? EventState::completed : EventState::started;
  event.extras.set_matched(kUnset);
}

RankEnd end_of(const RankTrace& original, const RankEnd& seen, bool idle) {
  if (idle) return original.end;  // it stays where its record ends: that it was stopped says nothing
  RankEnd end = seen;
  end.dropped = original.end.dropped;
  end.joined = original.end.joined;
  if (end.kind == EndKind::missing) end.kind = EndKind::running;  // it has not got to its record yet
  return end;
}

ReplayMark mark_at(const ReplayMarks& marks, std::size_t index) {
  return index < marks.size() ? marks[index] : ReplayMark();
}

// The recorder numbers threads as the worker's made their first calls: in the order of lanes (worker/rank.cpp). Nothing
// where there is only one.
std::optional<std::int32_t> recorded_thread(const std::vector<Lane>& lanes, std::size_t lane) {
  if (lanes.size() < 2) return std::nullopt;
  return static_cast<std::int32_t>(lane);
}

// An event that a replay began.
struct Told {
  Event event;
  const Event* trace = nullptr;  // in the recording
  bool left = false;             // its thread went on
};

// What one thread did of its events; in the account's places.
void account_of_lane(const RankTrace& original, const Recorded& recorded, const ReplayMarks& marks,
                     const std::vector<Lane>& lanes, std::size_t number, std::vector<std::optional<Told>>& account) {
  const Lane& lane = lanes[number];
  for (std::size_t i = 0; i < lane.events.size(); ++i) {
    const std::size_t place = lane.events[i];
    const ReplayMark mark = mark_at(marks, place);
    if (!mark.begun()) return;
    const ReplayMark next =
        mark_at(marks, i + 1 < lane.events.size() ? lane.events[i + 1] : original.events.size() + number);
    const std::uint64_t end = next.begun() ? next.before() : recorded.all();
    const Event* trace = recorded.last_in(mark.before(), end, recorded_thread(lanes, number));
    // A rank that stays in its last event has logged its end, so that it may idle there: it has not left it.
    const bool stays = is_endless(original, original.events[place], i + 1 == lane.events.size());
    account[place] = Told{original.events[place], trace, next.begun() && !stays};
  }
}

RequestNames request_names(const std::vector<std::optional<Told>>& account) {
  RequestNames names;
  for (const std::optional<Told>& told : account) {
    if (!told || told->trace == nullptr) continue;
    if (told->event.request != kNoRequest && told->trace->request != kNoRequest)
      names[told->trace->request] = told->event.request;
  }
  return names;
}

std::size_t index_in(const RankTrace& trace, const Event& event) {
  return static_cast<std::size_t>(&event - trace.events.data());
}

RankTrace account_of_rank(const RankTrace& original, const RankTrace& seen, const ReplayMarks& marks, bool idle) {
  RankTrace account;
  const Recorded recorded(seen.events);
  const std::vector<Lane> lanes = lanes_of(original);
  std::vector<std::optional<Told>> events(original.events.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    account_of_lane(original, recorded, marks, lanes, lane, events);
  const RequestNames names = request_names(events);
  for (std::optional<Told>& told : events) {
    if (!told) continue;
    if (told->trace != nullptr)
      take_outcome(told->event, *told->trace, names);
    else
      take_nothing(told->event, told->left);
    if (told->trace != nullptr) account.set_time(account.events.size(), seen.time_of(index_in(seen, *told->trace)));
    account.events.push_back(std::move(told->event));
  }
  account.end = end_of(original, seen.end, idle);
  const ReplayMark past = mark_at(marks, original.events.size());  // the main thread has done all its events
  const Event* last =
      past.begun() ? recorded.last_in(past.before(), recorded.all(), recorded_thread(lanes, 0)) : nullptr;
  if (last != nullptr && last->op == Op::finalize && last->state != EventState::completed) {
    Event finalize = *last;
    finalize.seq = original.events.empty() ? 0 : original.events.back().seq + 1;
    finalize.site = kNoSymbol;
    account.set_time(account.events.size(), seen.time_of(index_in(seen, *last)));
    account.events.push_back(std::move(finalize));
  }
  return account;
}

// What keeps one thread where it is.
enum class Stand : std::uint8_t { moves, in_call, in_finalize, rests };

Stand stand_of(const Recorded& recorded, const ReplayMarks& marks, const RankTrace& original,
               const std::vector<Lane>& lanes, std::size_t number) {
  const Event* last = recorded.last(recorded_thread(lanes, number));
  const bool in_call = last != nullptr && last->state == EventState::started;
  if (in_call && last->op == Op::finalize) return Stand::in_finalize;
  // The main thread that is done waits for the others, and goes on to its rank's end when they are.
  if (lanes.size() > 1 && mark_at(marks, original.events.size() + number).begun()) return Stand::rests;
  for (const std::size_t place : lanes[number].events) {
    if (mark_at(marks, place).waits()) return Stand::rests;
  }
  return in_call ? Stand::in_call : Stand::moves;
}

}  // namespace

bool ReplayState::settled(const Scenario& scenario, const Scenario& recording) const {
  bool somebody_stays = false;
  for (std::size_t rank = 0; rank < idle.size(); ++rank) {
    if (idle[rank]) {
      somebody_stays = true;
      continue;
    }
    if (logs[rank].empty() || rank >= recording.ranks.size() || recording.ranks[rank].events.empty()) return false;
    const Recorded recorded(recording.ranks[rank].events);
    const std::vector<Lane> lanes = lanes_of(scenario.ranks[rank]);
    bool all_rest = true;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const Stand stand = stand_of(recorded, logs[rank], scenario.ranks[rank], lanes, lane);
      if (stand == Stand::moves) return false;
      all_rest = all_rest && stand == Stand::rests;
      somebody_stays = somebody_stays || stand == Stand::in_call;
    }
    if (all_rest) return false;  // it is on its way to its end
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
  // Whoever made the calls first: here MPI does.
  account.header.backend = "mpi";
  for (Communicator& comm : account.comms) comm.backend.clear();
  return account;
}

std::vector<const Event*> traces_of(const RankTrace& original, const RankTrace& seen, const ReplayMarks& marks) {
  const Recorded recorded(seen.events);
  const std::vector<Lane> lanes = lanes_of(original);
  std::vector<std::optional<Told>> told(original.events.size());
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) account_of_lane(original, recorded, marks, lanes, lane, told);
  std::vector<const Event*> traces;
  for (const std::optional<Told>& event : told) traces.push_back(event ? event->trace : nullptr);
  return traces;
}

Scenario account_with_rest(const Scenario& scenario, const Scenario& recording, const ReplayState& state) {
  Scenario account = account_of(scenario, recording, state);
  for (std::size_t rank = 0; rank < account.ranks.size(); ++rank) {
    RankTrace& told = account.ranks[rank];
    RankTrace begun = std::move(told);
    told = RankTrace{};
    told.end = begun.end;
    std::size_t next = 0;
    const auto take_next = [&] {
      told.set_time(told.events.size(), begun.time_of(next));
      told.events.push_back(std::move(begun.events[next++]));
    };
    for (const Event& event : scenario.ranks[rank].events) {
      if (next < begun.events.size() && begun.events[next].seq == event.seq) {
        // A poll that still fails when the replay is stopped goes on until it succeeds, as the scenario says.
        if (Event& poll = begun.events[next]; poll.flag == 0 && event.flag != 0) {
          poll.flag = event.flag;
          poll.state = EventState::started;
        }
        take_next();
        continue;
      }
      told.events.push_back(event);
      told.events.back().state = EventState::scheduled;
      told.events.back().extras.set_matched(kUnset);
    }
    while (next < begun.events.size()) take_next();  // an implied finalize
    // It was stopped on its way there.
    if (account.ranks[rank].end.kind == EndKind::running) account.ranks[rank].end = scenario.ranks[rank].end;
  }
  return account;
}

}  // namespace petri

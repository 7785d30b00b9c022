#include "tests/model/reference.hpp"

#include <algorithm>
#include <set>

#include "tests/model/reference_state.hpp"

namespace petri::test {
namespace reference {
namespace {

// The requests that a wait or a successful test must see done; for those that say which completed, these only.
std::vector<std::uint32_t> awaited_requests(const Event& event) {
  const EventExtras& own = event.extras;
  std::vector<std::uint32_t> all = own.requests(), chosen;
  if (event.request != kNoRequest) all = {event.request};
  if (own.index()) chosen.push_back(all.at(static_cast<std::size_t>(*own.index())));
  for (const std::uint32_t index : own.indices()) chosen.push_back(all.at(index));
  return chosen.empty() ? all : chosen;
}

bool takes_any(const Event& event) {
  const std::string_view family = info(event.op).family;
  return (family == "waitany" || family == "waitsome") && !event.extras.index() && event.extras.indices().empty();
}

// A test that failed, or an iprobe that saw nothing, does nothing. One that succeeded is a wait, in the program that
// the schedule shows.
bool does_nothing(const Event& event) {
  const bool polls = kind_of(event.op) == OpKind::test || event.op == Op::iprobe || event.op == Op::improbe ||
                     event.op == Op::win_test;
  const bool succeeded = event.flag == 1 || event.extras.index() || !event.extras.indices().empty();
  return polls && !succeeded;
}

class Explorer {
 public:
  Explorer(const Scenario& scenario, const Assumed& assumed, std::size_t max_states)
      : facts_(scenario, assumed), max_states_(max_states) {}

  std::optional<std::set<Ending>> endings() {
    State start;
    start.lanes.resize(facts_.lanes.size());
    visit(start);
    if (seen_.size() > max_states_) return std::nullopt;
    return endings_;
  }

 private:
  Rank rank_of(std::size_t lane) const { return facts_.lanes[lane].rank; }
  EventRef ref(std::size_t lane, std::uint32_t index) const { return {rank_of(lane), index}; }
  const Unit* unit(const State& state, std::size_t lane) const {
    const auto& units = facts_.lanes[lane].units;
    return state.lanes[lane].next < units.size() ? &units[state.lanes[lane].next] : nullptr;
  }
  Owner call_in(std::size_t lane) const { return {rank_of(lane), -1 - static_cast<std::int32_t>(lane)}; }

  // --- Beginning a call ---

  bool may_begin(const State& state, std::size_t lane) const {
    if (unit(state, lane) == nullptr || state.lanes[lane].inside) return false;
    return !facts_.lanes[lane].is_stream || may_launch(facts_, state, lane);
  }

  void begin(State& state, std::size_t lane) const {
    state.lanes[lane].inside = true;
    for (const std::uint32_t index : unit(state, lane)->events) {
      const Event& event = facts_.event(ref(lane, index));
      if (facts_.is_enqueued(event) && !facts_.lanes[lane].is_stream) {
        if (is_collective(event)) take_seat(facts_, state, ref(lane, index), kNobody, false);
      } else if (facts_.lanes[lane].is_stream && is_collective(event)) {
        launch_seat(facts_, state, ref(lane, index), call_in(lane));
      } else {
        post(state, lane, ref(lane, index), event);
      }
    }
  }

  void post(State& state, std::size_t lane, EventRef at, const Event& event) const {
    const bool has_request = form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest &&
                             kind_of(event.op) != OpKind::test && kind_of(event.op) != OpKind::partition;
    const Owner owner = has_request ? Owner{at.rank, static_cast<std::int32_t>(event.request)} : call_in(lane);
    if (has_request) activate(state, at.rank, event.request);
    if (form_of(event.op) == OpForm::persistent) {
      add(state.persistent, {at.rank, event.request, at.index, 0, {}});
      if (is_collective(event)) take_seat(facts_, state, at, owner, true);
      return;
    }
    if (is_collective(event)) take_seat(facts_, state, at, owner, true);
    switch (kind_of(event.op)) {
      case OpKind::send:
      case OpKind::recv:
      case OpKind::sendrecv:
        if (event.op == Op::mrecv || event.op == Op::imrecv) return fetch_probed(facts_, state, at);
        return post_sides(facts_, state, at, event, owner);
      case OpKind::start:
        for (const std::uint32_t request : awaited_requests(event)) start(state, at.rank, request);
        return;
      case OpKind::partition: return event.op == Op::parrived ? void() : make_ready(facts_, state, at);
      case OpKind::request:
        if (event.op == Op::request_free) let_go(state, at.rank, event.request);
        return;
      case OpKind::window:
      case OpKind::rma: return begin_window_call(facts_, state, at, owner);
      case OpKind::world:
        if (event.op == Op::exit || event.op == Op::abort) end_lanes(state, lane, event);
        return;
      default: return;
    }
  }

  static void activate(State& state, Rank rank, std::uint32_t request) {
    take(state.active, std::pair(rank, request));
    add(state.active, std::pair(rank, request));
  }

  // A persistent request begins anew, with the arguments of its init (section 3.9).
  void start(State& state, Rank rank, std::uint32_t request) const {
    for (Persistent& one : state.persistent) {
      if (one.rank != rank || one.request != request) continue;
      const EventRef init{rank, one.init};
      const Owner owner{rank, static_cast<std::int32_t>(request)};
      activate(state, rank, request);
      ++one.starts;
      const Event& event = facts_.event(init);
      one.ready.assign(static_cast<std::size_t>(event.op == Op::psend_init ? event.extras.partitions().value_or(1) : 0),
                       0);
      if (is_partitioned(event) && partitions_clash(facts_, state, one)) state.mismatch = true;
      if (is_collective(event))
        start_collective(facts_, state, Persistent(one), owner);
      else if (!is_partitioned(event))
        post_sides(facts_, state, init, event, owner);
      return;
    }
  }

  // Nobody waits for a freed or a completed request any more; what it began goes on.
  static void let_go(State& state, Rank rank, std::uint32_t request) {
    const Owner owner{rank, static_cast<std::int32_t>(request)};
    take(state.active, std::pair(rank, request));
    for (auto* sides : {&state.sends, &state.recvs})
      for (Side& side : *sides)
        if (side.owner == owner) side.owner = kNobody;
    for (Probed& probed : state.probed)
      if (probed.send.owner == owner) probed.send.owner = kNobody;
    for (Seat& seat : state.seats)
      if (seat.owner == owner) seat.owner = kNobody;
    std::erase_if(state.fetches, [&](const Fetch& fetch) { return fetch.owner == owner; });
  }

  // A thread above 0 ends alone; the main one takes its rank along.
  void end_lanes(State& state, std::size_t lane, const Event& event) const {
    const bool alone = event.op == Op::exit && facts_.lanes[lane].thread > 0;
    for (std::size_t other = 0; other < facts_.lanes.size(); ++other)
      if (other == lane || (!alone && rank_of(other) == rank_of(lane)))
        state.lanes[other] = {static_cast<std::uint32_t>(facts_.lanes[other].units.size()), false};
  }

  // --- Being done ---

  bool request_done(const State& state, Rank rank, std::uint32_t request) const {
    if (!std::binary_search(state.active.begin(), state.active.end(), std::pair(rank, request))) return true;
    const Owner owner{rank, static_cast<std::int32_t>(request)};
    for (const Persistent& one : state.persistent)
      if (one.rank == rank && one.request == request && is_partitioned(facts_.event({rank, one.init})) &&
          !partitions_done(facts_, state, one))
        return false;
    return !in_flight(state, owner) && seats_done(facts_, state, owner) && fetches_done(state, owner);
  }

  // Calls that leave by a choice of their own: see `choices`.
  static bool chooses(const Event& event) {
    return !does_nothing(event) && (kind_of(event.op) == OpKind::probe || takes_any(event) || event.op == Op::cancel);
  }

  // Once true, always true: such a call may be left at once.
  bool event_done(const State& state, std::size_t lane, EventRef at) const {
    const Event& event = facts_.event(at);
    if (does_nothing(event) || (facts_.is_enqueued(event) && !facts_.lanes[lane].is_stream)) return true;
    if (event.op == Op::parrived) return event.flag != 1 || has_arrived(facts_, state, at);
    switch (kind_of(event.op)) {
      case OpKind::wait:
      case OpKind::test: {
        const auto requests = awaited_requests(event);
        return std::all_of(requests.begin(), requests.end(),
                           [&](std::uint32_t request) { return request_done(state, at.rank, request); });
      }
      case OpKind::window: return window_call_done(facts_, state, at);
      case OpKind::device: return device_call_done(facts_, state, at);
      case OpKind::world: return event.op != Op::finalize || all_finalize(state);
      default: return true;
    }
  }

  // Finalize is collective over the world (section 11.2.2). A record that ends without it stands for it.
  bool all_finalize(const State& state) const {
    for (std::size_t lane = 0; lane < state.lanes.size(); ++lane) {
      const Unit* now = facts_.lanes[lane].is_stream ? nullptr : unit(state, lane);
      const std::uint32_t next = now == nullptr ? 0 : now->events.front();
      const bool inside =
          state.lanes[lane].inside && now != nullptr && facts_.event(ref(lane, next)).op == Op::finalize;
      const bool after = next > 0 && facts_.event(ref(lane, next - 1)).op == Op::finalize;
      if (now != nullptr && !inside && !after) return false;
    }
    return true;
  }

  bool may_leave(const State& state, std::size_t lane) const {
    const Owner call = call_in(lane);
    const auto& events = unit(state, lane)->events;
    return !in_flight(state, call) && seats_done(facts_, state, call) &&
           std::all_of(events.begin(), events.end(), [&](std::uint32_t index) {
             return !chooses(facts_.event(ref(lane, index))) && event_done(state, lane, ref(lane, index));
           });
  }

  void leave(State& state, std::size_t lane) const {
    for (const std::uint32_t index : unit(state, lane)->events) {
      const EventRef at = ref(lane, index);
      const Event& event = facts_.event(at);
      const bool completes = kind_of(event.op) == OpKind::wait || kind_of(event.op) == OpKind::test;
      if (completes && !does_nothing(event) && !takes_any(event) && event.op != Op::request_get_status)
        for (const std::uint32_t request : awaited_requests(event)) let_go(state, at.rank, request);
      if (kind_of(event.op) == OpKind::window) leave_window_call(facts_, state, at);
    }
    for (Seat& seat : state.seats)
      if (seat.owner == call_in(lane)) seat.owner = kNobody;
    for (auto* sides : {&state.sends, &state.recvs})
      for (Side& side : *sides)
        if (side.owner == call_in(lane)) side.owner = kNobody;
    state.lanes[lane].inside = false;
    ++state.lanes[lane].next;
  }

  bool starts_message(const State& state, std::size_t lane, const Event& event) const {
    if (kind_of(event.op) != OpKind::start) return false;
    const auto requests = awaited_requests(event);
    return std::any_of(state.persistent.begin(), state.persistent.end(), [&](const Persistent& one) {
      const Event& init = facts_.event({one.rank, one.init});
      return one.rank == rank_of(lane) && !is_collective(init) && !is_partitioned(init) &&
             std::find(requests.begin(), requests.end(), one.request) != requests.end();
    });
  }

  // Is the order in which this lane begins its next call told apart by nobody? It is where the call takes no message
  // and gives none, and no other lane of its rank can come between.
  bool begins_quietly(const State& state, std::size_t lane) const {
    if (facts_.assumed.every_interleaving || !may_begin(state, lane)) return false;
    for (std::size_t other = 0; other < facts_.lanes.size(); ++other) {
      const bool same_kind = facts_.lanes[other].is_stream == facts_.lanes[lane].is_stream;
      if (other != lane && rank_of(other) == rank_of(lane) && same_kind) return false;
    }
    const auto& events = unit(state, lane)->events;
    return std::none_of(events.begin(), events.end(), [&](std::uint32_t index) {
      const Event& event = facts_.event(ref(lane, index));
      const bool enqueued = facts_.is_enqueued(event) && !facts_.lanes[lane].is_stream;
      const bool message = does_send(event) || kind_of(event.op) == OpKind::recv || starts_message(state, lane, event);
      return (message && form_of(event.op) != OpForm::persistent && !enqueued) || kind_of(event.op) == OpKind::world;
    });
  }

  void settle(State& state) const {
    for (bool moved = true; moved;) {
      moved = false;
      match_epochs(state);
      for (std::size_t lane = 0; lane < state.lanes.size(); ++lane) {
        if (begins_quietly(state, lane)) {
          begin(state, lane);
          moved = true;
        }
        if (!state.lanes[lane].inside || !may_leave(state, lane)) continue;
        leave(state, lane);
        moved = true;
      }
    }
  }

  // --- Choosing ---

  void choices(const State& state, std::size_t lane, std::vector<State>& next) const {
    const EventRef at = ref(lane, unit(state, lane)->events.front());
    const Event& event = facts_.event(at);
    if (!chooses(event)) return;
    if (event.op == Op::cancel) return cancel(state, lane, at, next);
    if (takes_any(event)) return complete_some(state, lane, at, next);
    const bool takes = info(event.op).family == std::string_view("mprobe");
    if (event.peer == kNull) return next.push_back(left(state, lane));
    for (const std::size_t send : visible(facts_, state, at)) {
      State one = state;
      if (takes) take_probed(facts_, one, at, send);
      next.push_back(left(one, lane));
    }
  }

  State left(State state, std::size_t lane) const {
    leave(state, lane);
    return state;
  }

  // A request that has not met its other side may be cancelled, or complete all the same (section 3.8.4). Where the
  // schedule shows which, that is what happens: see is_cancelled_later.
  void cancel(const State& state, std::size_t lane, EventRef at, std::vector<State>& next) const {
    const Event& event = facts_.event(at);
    State taken = state;
    const bool open = withdraw(taken, {at.rank, static_cast<std::int32_t>(event.request)});
    if (open && event.flag != 0) next.push_back(left(taken, lane));
    if (!open || event.flag == 0) next.push_back(left(state, lane));
  }

  // waitany completes one of the active requests that are done, waitsome at least one of them; with none active both
  // return at once (section 3.7.5).
  void complete_some(const State& state, std::size_t lane, EventRef at, std::vector<State>& next) const {
    const Event& event = facts_.event(at);
    const bool one_only = info(event.op).family == std::string_view("waitany");
    std::vector<std::uint32_t> done;
    bool any_active = false;
    for (const std::uint32_t request : awaited_requests(event)) {
      if (!std::binary_search(state.active.begin(), state.active.end(), std::pair(at.rank, request))) continue;
      any_active = true;
      if (request_done(state, at.rank, request)) done.push_back(request);
    }
    if (!any_active) return next.push_back(left(state, lane));
    for (std::uint32_t chosen = 1; chosen < (1U << done.size()); ++chosen) {
      const bool single = (chosen & (chosen - 1)) == 0;
      if (one_only && !single) continue;
      State one = state;
      for (std::size_t i = 0; i < done.size(); ++i)
        if ((chosen >> i & 1U) != 0) let_go(one, at.rank, done[i]);
      next.push_back(left(one, lane));
    }
  }

  // --- Exploring ---

  std::vector<State> successors(const State& state) const {
    std::vector<State> next;
    for (std::size_t lane = 0; lane < state.lanes.size(); ++lane) {
      if (may_begin(state, lane)) begin(next.emplace_back(state), lane);
      if (state.lanes[lane].inside) choices(state, lane, next);
    }
    for (std::size_t send = 0; send < state.sends.size(); ++send)
      for (std::size_t recv = 0; recv < state.recvs.size(); ++recv)
        if (may_match(state, send, recv)) match(facts_, next.emplace_back(state), send, recv);
    for (const std::size_t lock : grantable(state)) {
      next.emplace_back(state).locks[lock].granted = true;
      std::sort(next.back().locks.begin(), next.back().locks.end());
    }
    return next;
  }

  void visit(State state) {
    settle(state);
    if (seen_.size() > max_states_ || !seen_.insert(state).second) return;
    const std::vector<State> next = successors(state);
    for (const State& one : next) visit(one);
    if (next.empty())
      endings_.insert(
          {blocked(state), state.mismatch, !state.active.empty() || !state.probed.empty(), state.erroneous});
  }

  std::vector<Rank> blocked(const State& state) const {
    std::set<Rank> ranks;
    for (std::size_t lane = 0; lane < state.lanes.size(); ++lane)
      if (unit(state, lane) != nullptr) ranks.insert(rank_of(lane));
    return {ranks.begin(), ranks.end()};
  }

  Facts facts_;
  std::size_t max_states_;
  std::set<State> seen_;
  std::set<Ending> endings_;
};

}  // namespace
}  // namespace reference

std::optional<std::set<Ending>> all_endings(const Scenario& scenario, const Assumed& assumed, std::size_t max_states) {
  return reference::Explorer(scenario, assumed, max_states).endings();
}

}  // namespace petri::test

#include "tests/model/reference.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace petri::test {
namespace {

constexpr std::int32_t kNobodyWaits = -2;

struct Side {
  std::int32_t comm, source, dest, tag, rank;
  std::int32_t request;  // -1: of the blocking call that the rank is in
  auto operator<=>(const Side&) const = default;
};

struct State {
  std::vector<std::uint32_t> pc;
  std::vector<bool> inside;                                       // has begun the call at pc
  std::vector<Side> sends, recvs;                                 // pending, in the order of posting
  std::set<std::pair<std::int32_t, std::int32_t>> done;           // (rank, request) completed
  std::map<std::pair<std::int32_t, std::int32_t>, int> position;  // (rank, comm): collectives begun
  auto operator<=>(const State&) const = default;
};

class Explorer {
 public:
  Explorer(const Scenario& scenario, bool buffered) : scenario_(scenario), buffered_(buffered) {}

  std::set<std::vector<std::int32_t>> endings() {
    State start;
    start.pc.assign(scenario_.ranks.size(), 0);
    start.inside.assign(scenario_.ranks.size(), false);
    visit(start);
    return endings_;
  }

 private:
  const Event* event(const State& state, std::size_t rank) const {
    const auto& events = scenario_.ranks[rank].events;
    return state.pc[rank] < events.size() ? &events[state.pc[rank]] : nullptr;
  }
  std::int32_t group(const Event& e, std::size_t rank) const {
    return scenario_.comms[static_cast<std::size_t>(e.comm)].group_rank_of(static_cast<std::int32_t>(rank));
  }
  static bool fits(const Side& recv, const Side& send) {
    return recv.comm == send.comm && recv.dest == send.dest && (recv.source == kAny || recv.source == send.source) &&
           (recv.tag == kAny || recv.tag == send.tag);
  }

  void begin(State& state, std::size_t rank) const {
    const Event& e = *event(state, rank);
    state.inside[rank] = true;
    const auto number = static_cast<std::int32_t>(rank);
    const bool awaited = kind_of(e.op) != OpKind::send || !buffered_;
    const std::int32_t request = !awaited                  ? kNobodyWaits
                                 : e.request == kNoRequest ? -1
                                                           : static_cast<std::int32_t>(e.request);
    if (kind_of(e.op) == OpKind::send)
      state.sends.push_back({e.comm, group(e, rank), e.peer, tag_of(e), number, request});
    if (kind_of(e.op) == OpKind::recv)
      state.recvs.push_back({e.comm, e.peer, group(e, rank), tag_of(e), number, request});
    if (kind_of(e.op) == OpKind::collective) ++state.position[{number, e.comm}];
    if (kind_of(e.op) != OpKind::wait) state.done.erase({number, request});
  }

  // All members have begun their call at this position, and it is the same operation.
  bool all_joined(const State& state, const Event& e, int position) const {
    for (const std::int32_t member : scenario_.comms[static_cast<std::size_t>(e.comm)].ranks) {
      const auto begun = state.position.find({member, e.comm});
      if (begun == state.position.end() || begun->second < position) return false;
      int seen = 0;
      for (const Event& other : scenario_.ranks[static_cast<std::size_t>(member)].events)
        if (kind_of(other.op) == OpKind::collective && other.comm == e.comm && ++seen == position && other.op != e.op)
          return false;
    }
    return true;
  }

  bool may_leave(const State& state, std::size_t rank) const {
    const Event& e = *event(state, rank);
    const auto number = static_cast<std::int32_t>(rank);
    switch (kind_of(e.op)) {
      case OpKind::send:
        if (buffered_) return true;
        [[fallthrough]];
      case OpKind::recv: return form_of(e.op) == OpForm::nonblocking || state.done.count({number, -1}) != 0;
      case OpKind::collective:
        return form_of(e.op) == OpForm::nonblocking || all_joined(state, e, state.position.at({number, e.comm}));
      case OpKind::wait: return request_done(state, rank, static_cast<std::int32_t>(e.request));
      default: return true;
    }
  }

  bool request_done(const State& state, std::size_t rank, std::int32_t request) const {
    const auto number = static_cast<std::int32_t>(rank);
    std::map<std::int32_t, int> positions;
    for (std::uint32_t i = 0; i < state.pc[rank]; ++i) {
      const Event& e = scenario_.ranks[rank].events[i];
      if (kind_of(e.op) == OpKind::collective) ++positions[e.comm];
      if (kind_of(e.op) == OpKind::wait || e.request != static_cast<std::uint32_t>(request)) continue;
      if (kind_of(e.op) == OpKind::collective) return all_joined(state, e, positions[e.comm]);
      if (kind_of(e.op) == OpKind::send && buffered_) return true;
      return state.done.count({number, request}) != 0;
    }
    return true;
  }

  static bool may_match(const State& state, std::size_t send, std::size_t recv) {
    if (!fits(state.recvs[recv], state.sends[send])) return false;
    for (std::size_t i = 0; i < send; ++i)
      if (state.sends[i].rank == state.sends[send].rank && fits(state.recvs[recv], state.sends[i])) return false;
    for (std::size_t i = 0; i < recv; ++i)
      if (state.recvs[i].rank == state.recvs[recv].rank && fits(state.recvs[i], state.sends[send])) return false;
    return true;
  }

  void visit(const State& state) {
    if (!seen_.insert(state).second) return;
    bool moved = false;
    for (std::size_t rank = 0; rank < state.pc.size(); ++rank) {
      if (event(state, rank) == nullptr) continue;
      if (state.inside[rank] && !may_leave(state, rank)) continue;
      State next = state;
      if (state.inside[rank]) {
        next.inside[rank] = false;
        next.done.erase({static_cast<std::int32_t>(rank), -1});
        ++next.pc[rank];
      } else {
        begin(next, rank);
      }
      moved = true;
      visit(next);
    }
    for (std::size_t send = 0; send < state.sends.size(); ++send)
      for (std::size_t recv = 0; recv < state.recvs.size(); ++recv) {
        if (!may_match(state, send, recv)) continue;
        State next = state;
        next.done.insert({state.sends[send].rank, state.sends[send].request});
        next.done.insert({state.recvs[recv].rank, state.recvs[recv].request});
        next.sends.erase(next.sends.begin() + static_cast<std::ptrdiff_t>(send));
        next.recvs.erase(next.recvs.begin() + static_cast<std::ptrdiff_t>(recv));
        moved = true;
        visit(next);
      }
    if (!moved) endings_.insert(blocked(state));
  }

  std::vector<std::int32_t> blocked(const State& state) const {
    std::vector<std::int32_t> ranks;
    for (std::size_t rank = 0; rank < state.pc.size(); ++rank)
      if (event(state, rank) != nullptr) ranks.push_back(static_cast<std::int32_t>(rank));
    return ranks;
  }

  const Scenario& scenario_;
  bool buffered_;
  std::set<State> seen_;
  std::set<std::vector<std::int32_t>> endings_;
};

}  // namespace

std::set<std::vector<std::int32_t>> all_endings(const Scenario& scenario, bool buffered) {
  return Explorer(scenario, buffered).endings();
}

}  // namespace petri::test

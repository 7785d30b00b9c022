#include "harness/diagnose/causal_order.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "harness/model/op_rules.hpp"

namespace petri::diagnosis {
namespace {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

// Where ranks leave what they know for others. Who takes from it waits until all that give have given.
struct Slot {
  std::uint32_t givers = 0;  // still to come
  std::uint32_t takers = 0;
  Clock known;
};

// One side of a message or a collective: what it gives to, and what it must have before it is complete.
struct Side {
  std::uint32_t gives = kNone, takes = kNone;
};

// The sides of one call; a persistent one has those of its next start at `next`.
struct Sides {
  std::vector<Side> all;
  std::size_t next = 0;
};

class Replay {
 public:
  Replay(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& asked,
         const std::function<void(const Moment&)>& visit)
      : scenario_(scenario), run_(run), visit_(visit), asked_(asked.size()), ranks_(scenario.ranks.size()) {
    for (std::size_t place = 0; place < asked.size(); ++place)
      ranks_[static_cast<std::size_t>(asked[place])].place = place;
    const auto nothing = std::make_shared<const Clock>(asked_, 0);
    for (Rank& rank : ranks_) rank.known = nothing;
    add_messages();
    add_gatherings();
  }

  void perform() {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) moved = advance(rank) || moved;
    }
  }

 private:
  struct Rank {
    std::size_t place = kNowhere;  // in clocks
    std::uint32_t index = 0;
    std::uint32_t tick = 0;
    bool begun = false;                 // the event at index
    std::vector<std::uint32_t> awaits;  // slots that it takes from before it leaves the event
    std::shared_ptr<const Clock> known;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> requests;     // slots that complete them
    std::unordered_map<std::uint32_t, std::uint32_t> inits;                     // events of persistent requests
    std::map<std::pair<std::string, bool>, std::vector<std::uint32_t>> epochs;  // (window, access): slots at its end
  };

  std::uint32_t add_slot(std::uint32_t givers, std::uint32_t takers) {
    slots_.push_back({givers, takers, {}});
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  static std::uint64_t key(EventRef ref) { return (static_cast<std::uint64_t>(ref.rank) << 32) | ref.index; }

  void add_messages() {
    for (const model::Message& message : run_.messages) {
      Side sends, receives;
      sends.gives = receives.takes = add_slot(1, 1);
      if (model::is_synchronous_send(at(scenario_, message.send).op)) sends.takes = receives.gives = add_slot(1, 1);
      sides_[key(message.send)].all.push_back(sends);
      sides_[key(message.recv)].all.push_back(receives);
    }
  }

  // In the order of their numbers, which is that of the starts of a persistent one.
  void add_gatherings() {
    const auto& all = run_.gatherings.all();
    std::vector<std::uint32_t> slots(all.size(), kNone);
    for (std::uint32_t number = 0; number < all.size(); ++number) {
      const model::Gathering& gathering = all[number];
      const auto members = static_cast<std::uint32_t>(gathering.arrivals.size());
      const bool joins_other_side = gathering.across != model::kNoGathering && gathering.across < number;
      slots[number] = joins_other_side ? slots[gathering.across] : add_slot(0, 0);
      slots_[slots[number]].givers += members;
      slots_[slots[number]].takers += members;
      for (std::size_t member = 0; member < members; ++member)
        if (gathering.arrivals[member] < model::kBefore)
          sides_[key({run_.gatherings.members(gathering)[member], gathering.arrivals[member]})].all.push_back(
              {slots[number], slots[number]});
    }
  }

  // How far a rank got: a call that it could not leave still began.
  std::uint32_t end_of(std::int32_t rank) const {
    const auto slot = static_cast<std::size_t>(rank);
    const auto events = static_cast<std::uint32_t>(scenario_.ranks[slot].events.size());
    return std::min(events, run_.standing[slot] == model::Standing::finished ? events : run_.index[slot]);
  }

  bool advance(std::int32_t rank) {
    Rank& one = ranks_[static_cast<std::size_t>(rank)];
    const auto events = static_cast<std::uint32_t>(scenario_.ranks[static_cast<std::size_t>(rank)].events.size());
    const std::uint32_t end = end_of(rank);
    bool moved = false;
    while (one.index < events && one.index <= end) {
      if (!std::exchange(one.begun, true)) {
        begin(one, {rank, one.index});
        moved = true;
      }
      const bool complete = std::all_of(one.awaits.begin(), one.awaits.end(),
                                        [&](std::uint32_t slot) { return slots_[slot].givers == 0; });
      if (!complete || one.index == end) return moved;
      for (const std::uint32_t slot : one.awaits) take(one, slot);
      one.awaits.clear();
      one.begun = false;
      ++one.index;
    }
    return moved;
  }

  void give(const Rank& rank, std::uint32_t slot) {
    Slot& place = slots_[slot];
    if (place.givers == 0) return;
    if (place.known.empty()) place.known.assign(asked_, 0);
    for (std::size_t i = 0; i < place.known.size(); ++i) place.known[i] = std::max(place.known[i], (*rank.known)[i]);
    if (rank.place != kNowhere) place.known[rank.place] = rank.tick;
    --place.givers;
  }

  void take(Rank& rank, std::uint32_t slot) {
    Slot& place = slots_[slot];
    const auto is_news = [&](std::size_t i) { return place.known[i] > (*rank.known)[i]; };
    std::size_t first = 0;
    while (first < place.known.size() && !is_news(first)) ++first;
    if (first < place.known.size()) {
      auto known = std::make_shared<Clock>(*rank.known);
      for (std::size_t i = first; i < place.known.size(); ++i) (*known)[i] = std::max((*known)[i], place.known[i]);
      rank.known = std::move(known);
    }
    if (place.takers > 0 && --place.takers == 0) place.known = {};
  }

  void begin(Rank& rank, EventRef ref) {
    const Event& event = at(scenario_, ref);
    ++rank.tick;
    visit_({ref, rank.tick, rank.known});
    const OpKind kind = kind_of(event.op);
    if (form_of(event.op) == OpForm::persistent) {
      rank.inits[event.request] = ref.index;
      if (kind == OpKind::collective) begin_sides(rank, ref, 1, rank.awaits);  // inits may synchronize, too
    } else if (kind == OpKind::start) {
      for (const std::uint32_t request : model::requests_of(event))
        if (const auto init = rank.inits.find(request); init != rank.inits.end())
          begin_sides(rank, {ref.rank, init->second}, 1, rank.requests[request]);
    } else {
      const bool later = form_of(event.op) == OpForm::nonblocking && event.request != kNoRequest;
      begin_sides(rank, ref, kNone, later && kind != OpKind::test ? rank.requests[event.request] : rank.awaits);
    }
    if (kind == OpKind::wait || (kind == OpKind::test && model::poll_succeeded(event))) complete_requests(rank, event);
    if (kind == OpKind::window) begin_window_call(rank, ref);
  }

  // Gives what the call gives, up to so many of its sides, and adds what it needs to `awaits`.
  void begin_sides(Rank& rank, EventRef ref, std::uint32_t most, std::vector<std::uint32_t>& awaits) {
    const auto found = sides_.find(key(ref));
    if (found == sides_.end()) return;
    Sides& sides = found->second;
    for (std::uint32_t done = 0; sides.next < sides.all.size() && done < most; ++done, ++sides.next) {
      const Side& side = sides.all[sides.next];
      if (side.gives != kNone) give(rank, side.gives);
      if (side.takes != kNone) awaits.push_back(side.takes);
    }
  }

  // A wait that does not say what it completed may have completed any: all are taken to be.
  void complete_requests(Rank& rank, const Event& event) {
    const auto completed = model::any_suffices(event) ? model::requests_of(event) : model::completed_requests_of(event);
    for (const std::uint32_t request : completed) {
      const auto found = rank.requests.find(request);
      if (found == rank.requests.end()) continue;
      rank.awaits.insert(rank.awaits.end(), found->second.begin(), found->second.end());
      rank.requests.erase(found);
    }
  }

  // The n-th post of a target that names an origin meets the n-th start of that origin that names the target, and so do
  // complete and wait (MPI 4.1, section 12.5.2).
  void begin_window_call(Rank& rank, EventRef ref) {
    const Event& event = at(scenario_, ref);
    const bool opens = event.op == Op::win_post || event.op == Op::win_start;
    const bool access = event.op == Op::win_start || event.op == Op::win_complete;
    const bool closes = event.op == Op::win_complete || event.op == Op::win_wait ||
                        (event.op == Op::win_test && model::poll_succeeded(event));
    auto& at_end = rank.epochs[{event.extras.win(), access}];
    if (opens) {
      at_end.clear();
      const auto& members = run_.gatherings.ranks_of(event.comm);
      for (const std::int32_t named : event.extras.ranks()) {
        if (named < 0 || static_cast<std::size_t>(named) >= members.size()) continue;
        const std::int32_t partner = members[static_cast<std::size_t>(named)];
        const auto [entry, exit] =
            epoch_slots(event.extras.win(), access ? ref.rank : partner, access ? partner : ref.rank, access);
        if (access) rank.awaits.push_back(entry);
        if (!access) give(rank, entry);
        at_end.push_back(exit);
      }
    }
    if (!closes) return;
    for (const std::uint32_t slot : std::exchange(at_end, {})) {
      if (access) give(rank, slot);
      if (!access) rank.awaits.push_back(slot);
    }
  }

  // Where one epoch's post meets its start, and its complete the wait.
  std::pair<std::uint32_t, std::uint32_t> epoch_slots(const std::string& window, std::int32_t origin,
                                                      std::int32_t target, bool access) {
    const std::uint32_t ordinal = ordinals_[{window, origin, target, access}]++;
    const auto [place, fresh] = epochs_.try_emplace({window, origin, target, ordinal});
    if (fresh) {
      place->second.first = add_slot(1, 1);
      place->second.second = add_slot(1, 1);
    }
    return place->second;
  }

  const Scenario& scenario_;
  const model::Run& run_;
  const std::function<void(const Moment&)>& visit_;
  std::size_t asked_;
  std::vector<Rank> ranks_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, Sides> sides_;
  std::map<std::tuple<std::string, std::int32_t, std::int32_t, bool>, std::uint32_t> ordinals_;
  std::map<std::tuple<std::string, std::int32_t, std::int32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>>
      epochs_;
};

}  // namespace

bool has_causal_order(const Scenario& scenario, const model::Run& run) {
  if (scenario.cut || !run.unmodelled.empty() || run.lanes.size() != scenario.ranks.size()) return false;
  for (std::size_t rank = 0; rank < scenario.ranks.size(); ++rank) {
    if (run.truncated[rank] || run.standing[rank] == model::Standing::unknown) return false;
    // Which message a probe saw, and which partitions were there, the run does not say.
    for (const Event& event : scenario.ranks[rank].events)
      if (kind_of(event.op) == OpKind::probe || kind_of(event.op) == OpKind::partition || event.op == Op::wait_external)
        return false;
  }
  return true;
}

void replay_in_causal_order(const Scenario& scenario, const model::Run& run, const std::vector<std::int32_t>& ranks,
                            const std::function<void(const Moment&)>& visit) {
  Replay(scenario, run, ranks, visit).perform();
}

}  // namespace petri::diagnosis

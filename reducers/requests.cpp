#include "reducers/requests.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace petri::reduce {
namespace {

using Requests = std::unordered_set<std::uint32_t>;

// A request from the call that makes it on.
struct Life {
  bool lost = false;  // that call is gone
  bool is_started = false, start_is_left = false;
};

// The requests of one rank, in the order in which they are made, and which of them stands behind a number where.
class Lives {
 public:
  void make(std::uint32_t request, bool is_kept) {
    current_[request] = lives_.size();
    lives_.push_back({!is_kept, false, false});
  }
  // Nothing where the number was never made before.
  Life* find(std::uint32_t request) {
    const auto found = current_.find(request);
    return found == current_.end() ? nullptr : &lives_[found->second];
  }
  void lose_idle() {
    for (Life& life : lives_) life.lost = life.lost || (life.is_started && !life.start_is_left);
  }
  bool any_lost() const {
    return std::any_of(lives_.begin(), lives_.end(), [](const Life& life) { return life.lost; });
  }
  // Goes through the calls once more, from the first on.
  void rewind() {
    current_.clear();
    next_ = 0;
  }
  Life& make_again(std::uint32_t request) {
    current_[request] = next_;
    return lives_[next_++];
  }

 private:
  std::vector<Life> lives_;
  std::unordered_map<std::uint32_t, std::size_t> current_;
  std::size_t next_ = 0;
};

// Calls `visit(event, position in kept)` for all events; the position is that of nothing where it is not kept.
constexpr std::size_t kNotKept = static_cast<std::size_t>(-1);
template <class Visit>
void walk(const std::vector<Event>& all, const std::vector<std::uint32_t>& source, Visit visit) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_kept = next < source.size() && source[next] == i;
    visit(all[i], is_kept ? next : kNotKept);
    if (is_kept) ++next;
  }
}

Lives lives_of(const std::vector<Event>& all, const std::vector<std::uint32_t>& source) {
  Lives lives;
  walk(all, source, [&](const Event& event, std::size_t place) {
    const bool is_kept = place != kNotKept;
    switch (request_role(event)) {
      case RequestRole::makes: lives.make(event.request, is_kept); break;
      case RequestRole::starts:
        for_each_request(event, [&](std::uint32_t request) {
          Life* life = lives.find(request);
          if (life == nullptr) return;
          life->is_started = true;
          life->start_is_left = life->start_is_left || is_kept;
        });
        break;
      default: break;
    }
  });
  return lives;
}

// Renumbers positions in a list of requests after some were taken out; positions of those disappear.
void follow_positions(EventExtras& x, const std::vector<std::int32_t>& now) {
  const auto moved = [&](std::int64_t old) {
    return old >= 0 && static_cast<std::size_t>(old) < now.size() ? now[static_cast<std::size_t>(old)] : -1;
  };
  if (x.index()) {
    const std::int32_t position = moved(*x.index());
    if (position >= 0) {
      x.set_index(position);
    } else {
      x.set_index({});
    }
  }
  std::vector<std::uint32_t> kept;
  for (const std::uint32_t old : x.indices()) {
    if (moved(old) >= 0) kept.push_back(static_cast<std::uint32_t>(moved(old)));
  }
  x.set_indices(std::move(kept));
}

// False when the event named requests and none of them is left.
bool take_out(Event& event, const Requests& lost) {
  bool named = false;
  bool left = false;
  if (event.request != kNoRequest) {
    named = true;
    left = !lost.contains(event.request);
    if (!left) event.request = kNoRequest;
  }
  const PackedNumbers<std::uint32_t> list = event.extras.requests();
  const bool touched = std::any_of(list.begin(), list.end(), [&](std::uint32_t r) { return lost.contains(r); });
  if (!touched) return !named || left || !list.empty();
  EventExtras& x = event.extras;
  std::vector<std::uint32_t> kept;
  std::vector<std::int32_t> now;
  for (const std::uint32_t request : x.requests()) {
    const bool stays = !lost.contains(request);
    now.push_back(stays ? static_cast<std::int32_t>(kept.size()) : -1);
    if (stays) kept.push_back(request);
  }
  x.set_requests(std::move(kept));
  follow_positions(x, now);
  return left || !x.requests().empty();
}

// Leaves only the flagged ones.
void keep_flagged(std::vector<Event>& kept, std::vector<std::uint32_t>& source,
                  const std::vector<std::uint8_t>& stays) {
  std::size_t to = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (stays[i] == 0) continue;
    if (to != i) {
      kept[to] = std::move(kept[i]);
      source[to] = source[i];
    }
    ++to;
  }
  kept.resize(to);
  source.resize(to);
}

void drop_orphaned_messages(const std::vector<Event>& all, std::vector<Event>& kept,
                            std::vector<std::uint32_t>& source) {
  std::unordered_map<std::int64_t, bool> lost;  // messages, by whether the latest probe that got them is gone
  std::vector<std::uint8_t> stays(kept.size(), 1);
  walk(all, source, [&](const Event& event, std::size_t place) {
    if (!event.extras.message()) return;
    if (kind_of(event.op) == OpKind::probe) lost[*event.extras.message()] = place == kNotKept;
    if (kind_of(event.op) != OpKind::recv) return;
    const auto found = lost.find(*event.extras.message());
    if (found == lost.end()) return;
    if (place != kNotKept) stays[place] = !found->second;
    lost.erase(found);  // received; whoever receives it once more has no probe in `all` either
  });
  keep_flagged(kept, source, stays);
}

}  // namespace

RequestRole request_role(const Event& event) {
  switch (kind_of(event.op)) {
    case OpKind::wait:
    case OpKind::test:
    case OpKind::request:
    case OpKind::partition: return RequestRole::uses;
    case OpKind::start: return RequestRole::starts;
    default: return event.request != kNoRequest ? RequestRole::makes : RequestRole::none;
  }
}

void drop_lost_requests(const std::vector<Event>& all, std::vector<Event>& kept, std::vector<std::uint32_t>& source,
                        Idle idle) {
  drop_orphaned_messages(all, kept, source);
  Lives lives = lives_of(all, source);
  if (idle == Idle::goes) lives.lose_idle();
  if (!lives.any_lost()) return;
  std::vector<std::uint8_t> stays(kept.size(), 1);
  lives.rewind();
  walk(all, source, [&](const Event& event, std::size_t place) {
    const RequestRole role = request_role(event);
    if (role == RequestRole::none) return;
    if (role == RequestRole::makes) {
      const bool lost = lives.make_again(event.request).lost;
      if (place != kNotKept) stays[place] = !lost;
      return;
    }
    if (place == kNotKept) return;
    Requests lost;
    for_each_request(event, [&](std::uint32_t request) {
      const Life* life = lives.find(request);
      if (life != nullptr && life->lost) lost.insert(request);
    });
    if (!lost.empty()) stays[place] = take_out(kept[place], lost);
  });
  keep_flagged(kept, source, stays);
}

}  // namespace petri::reduce

#include "reducers/groups.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "reducers/hashing.hpp"
#include "reducers/requests.hpp"

namespace petri::reduce {
namespace {

// Disjoint sets over event numbers; the smallest number stands for its set.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }
  std::uint32_t find(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// Half of a message that waits for the other half.
struct Half {
  std::uint32_t event;
  std::int32_t tag;
};

// One direction between two ranks on one communicator. Of a few halves at a time, mostly one.
class Lane {
 public:
  // Takes out the oldest half of a side that fits; nothing where none does.
  template <class Fits>
  static std::optional<std::uint32_t> take(std::vector<Half>& side, std::size_t& first, Fits fits) {
    for (std::size_t i = first; i < side.size(); ++i) {
      if (side[i].event == kTaken || !fits(side[i])) continue;
      const std::uint32_t event = std::exchange(side[i].event, kTaken);
      while (first < side.size() && side[first].event == kTaken) ++first;
      if (first == side.size()) side.clear(), first = 0;
      return event;
    }
    return std::nullopt;
  }

  std::vector<Half> sends, recvs;
  std::size_t first_send = 0, first_recv = 0;  // the halves before them are taken

 private:
  static constexpr std::uint32_t kTaken = 0xffffffff;
};

// What is told apart by a few numbers.
using Key = std::array<std::int32_t, 4>;
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    Hash hash = 0;
    for (const std::int32_t number : key) hash = mix(hash, static_cast<std::uint32_t>(number));
    return hash;
  }
};
template <class Value>
using ByKey = std::unordered_map<Key, Value, KeyHash>;

// How an epoch on a window was opened.
enum class Opened : std::int32_t { lock, lock_all, start, post };

bool fits(std::int32_t sent, std::int32_t wanted) {
  return sent == wanted || wanted == kAny;
}

class Grouping {
 public:
  explicit Grouping(const Scenario& scenario) : scenario_(scenario), sets_(scenario.event_count()) {}

  std::vector<std::uint32_t> run() {
    std::uint32_t number = 0;
    for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
      rank_ = static_cast<std::int32_t>(rank);
      next_position_.clear();
      next_shared_.clear();
      first_of_request_.clear();
      first_of_message_.clear();
      epochs_.clear();
      for (const Event& event : scenario_.ranks[rank].events) visit(event, number++);
    }
    std::vector<std::uint32_t> firsts(number);
    for (std::uint32_t i = 0; i < number; ++i) firsts[i] = sets_.find(i);
    return firsts;
  }

 private:
  void visit(const Event& event, std::uint32_t number) {
    switch (kind_of(event.op)) {
      case OpKind::send: send_half(event, number, event.peer, tag_of(event)); break;
      case OpKind::recv: recv_half(event, number, event.peer, tag_of(event)); break;
      case OpKind::sendrecv: both_halves(event, number); break;
      case OpKind::window:
        if (is_positional(event.op))
          at_shared_position(event, number);
        else
          in_epoch(event, number);
        break;
      case OpKind::rma: in_epoch(event, number); break;
      case OpKind::file: at_shared_position(event, number); break;
      default:
        if (is_positional(event.op)) at_position(event, number);
        if ((info(event.op).traits & kOutsideSequence) != 0 && event.extras.new_comm() != kNoComm) {
          join_first(creation_, event.extras.new_comm(), number);
        }
    }
    if (event.extras.message()) join_first(first_of_message_, *event.extras.message(), number);
    if (event.request != kNoRequest) join_first(first_of_request_, event.request, number);
  }

  template <class Map, class Key>
  void join_first(Map& map, const Key& key, std::uint32_t number) {
    const auto [place, is_new] = map.try_emplace(key, number);
    if (!is_new) sets_.join(place->second, number);
  }

  void at_position(const Event& event, std::uint32_t number) {
    const std::uint32_t position = next_position_[event.comm]++;
    join_first(position_, Key{event.comm, static_cast<std::int32_t>(position)}, number);
  }

  void at_shared_position(const Event& event, std::uint32_t number) {
    const std::int32_t object = window_of(event);
    join_first(shared_, Key{object, static_cast<std::int32_t>(next_shared_[object]++)}, number);
  }

  // A number for the window or file.
  std::int32_t window_of(const Event& event) {
    const std::string& name = event.extras.win().empty() ? event.extras.file() : event.extras.win();
    return numbers_.try_emplace(name, static_cast<std::int32_t>(numbers_.size())).first->second;
  }

  static Key epoch_key(Opened opened, std::int32_t window, std::int32_t target = 0) {
    return {static_cast<std::int32_t>(opened), window, target};
  }

  // What a lock, a start or a post opens goes with what closes it and with the accesses in between; each start goes
  // with the posts that it meets.
  void in_epoch(const Event& event, std::uint32_t number) {
    const std::int32_t window = window_of(event);
    const Key lock = epoch_key(Opened::lock, window, event.extras.target().value_or(-1));
    const Key all = epoch_key(Opened::lock_all, window), start = epoch_key(Opened::start, window);
    switch (event.op) {
      case Op::win_lock: epochs_[lock] = number; return;
      case Op::win_lock_all: epochs_[all] = number; return;
      case Op::win_unlock: return close(lock, number);
      case Op::win_unlock_all: return close(all, number);
      case Op::win_start: return open(event, number, window, Opened::start);
      case Op::win_post: return open(event, number, window, Opened::post);
      case Op::win_complete: return close(start, number);
      case Op::win_wait: return close(epoch_key(Opened::post, window), number);
      default: break;
    }
    for (const Key& place : {lock, all, start})
      if (const auto epoch = epochs_.find(place); epoch != epochs_.end()) sets_.join(epoch->second, number);
  }

  void open(const Event& event, std::uint32_t number, std::int32_t window, Opened opened) {
    epochs_[epoch_key(opened, window)] = number;
    const bool starts = opened == Opened::start;
    for (const std::int32_t member : event.extras.ranks()) {
      const std::int32_t other = global(event, member);
      Key meeting{window, starts ? rank_ : other, starts ? other : rank_};
      auto& next = next_meeting_[meeting];
      meeting[3] = static_cast<std::int32_t>(starts ? next.first++ : next.second++);
      join_first(meetings_, meeting, number);
    }
  }

  void close(const Key& place, std::uint32_t number) {
    const auto epoch = epochs_.find(place);
    if (epoch == epochs_.end()) return;
    sets_.join(epoch->second, number);
    epochs_.erase(epoch);
  }

  // Global rank of a group rank, or -1 where it names nobody.
  std::int32_t global(const Event& event, std::int32_t group_rank) const {
    const std::vector<std::int32_t>& members = scenario_.comm_of(event).peers_of(rank_);
    const bool exists = group_rank >= 0 && static_cast<std::size_t>(group_rank) < members.size();
    return exists ? members[static_cast<std::size_t>(group_rank)] : -1;
  }

  void send_half(const Event& event, std::uint32_t number, std::int32_t to, std::int32_t tag) {
    const std::int32_t target = global(event, to);
    if (target < 0) return;
    Lane& lane = lanes_[{event.comm, rank_, target}];
    const auto wants = [&](const Half& half) { return fits(tag, half.tag); };
    if (const auto recv = Lane::take(lane.recvs, lane.first_recv, wants))
      sets_.join(*recv, number);
    else
      lane.sends.push_back({number, tag});
  }

  void recv_half(const Event& event, std::uint32_t number, std::int32_t from, std::int32_t tag) {
    const std::int32_t source = global(event, from == kAny ? event.extras.matched() : from);
    if (source < 0) return;
    Lane& lane = lanes_[{event.comm, source, rank_}];
    const auto wanted = [&](const Half& half) { return fits(half.tag, tag); };
    if (const auto send = Lane::take(lane.sends, lane.first_send, wanted))
      sets_.join(*send, number);
    else
      lane.recvs.push_back({number, tag});
  }

  void both_halves(const Event& event, std::uint32_t number) {
    const EventExtras& x = event.extras;
    const auto or_common = [](std::int32_t own, std::int32_t common) { return own != kUnset ? own : common; };
    send_half(event, number, or_common(x.sendpeer(), event.peer), or_common(x.sendtag(), tag_of(event)));
    recv_half(event, number, or_common(x.recvpeer(), event.peer), or_common(x.recvtag(), tag_of(event)));
  }

  const Scenario& scenario_;
  DisjointSets sets_;
  std::int32_t rank_ = 0;
  std::unordered_map<std::string, std::int32_t> numbers_;  // of windows and files
  ByKey<std::uint32_t> position_;                          // communicator and position
  ByKey<std::uint32_t> shared_;                            // window or file and position
  std::unordered_map<std::int32_t, std::uint32_t> creation_;
  ByKey<Lane> lanes_;                                            // communicator, source and target
  ByKey<std::uint32_t> meetings_;                                // window, origin, target and ordinal
  ByKey<std::pair<std::uint32_t, std::uint32_t>> next_meeting_;  // of the origin's starts and the target's posts
  // Of the rank that is being visited.
  ByKey<std::uint32_t> epochs_;  // open ones, by kind, window and target
  std::unordered_map<std::int32_t, std::uint32_t> next_position_, next_shared_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_request_;
  std::unordered_map<std::int64_t, std::uint32_t> first_of_message_;
};

}  // namespace

Groups group_events(const Scenario& scenario) {
  const std::vector<std::uint32_t> sets = Grouping(scenario).run();  // by event: the first one of its set
  Groups groups;
  std::vector<std::uint32_t> next(sets.size());  // group of a set's first event, then where its next member goes
  std::vector<std::uint32_t> sizes;
  std::uint32_t number = 0;
  for (const RankTrace& rank : scenario.ranks) {
    std::vector<std::uint32_t>& of = groups.of_.emplace_back();
    of.reserve(rank.events.size());
    for (std::size_t i = 0; i < rank.events.size(); ++i, ++number) {
      if (sets[number] == number) {
        next[number] = static_cast<std::uint32_t>(sizes.size());
        sizes.push_back(0);
      }
      of.push_back(next[sets[number]]);
      ++sizes[of.back()];
    }
  }
  for (const std::uint32_t size : sizes) groups.begin_.push_back(groups.begin_.back() + size);
  next.assign(groups.begin_.begin(), groups.begin_.end());
  groups.members_.resize(sets.size());
  for (std::size_t rank = 0; rank < groups.of_.size(); ++rank)
    for (std::uint32_t i = 0; i < groups.of_[rank].size(); ++i)
      groups.members_[next[groups.of_[rank][i]]++] = {static_cast<std::int32_t>(rank), i};
  return groups;
}

}  // namespace petri::reduce

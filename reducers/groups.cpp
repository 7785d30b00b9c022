#include "reducers/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>

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

// One direction between two ranks on one communicator.
struct Lane {
  std::deque<Half> sends, recvs;
};

bool fits(std::int32_t sent, std::int32_t wanted) {
  return sent == wanted || wanted == kAny;
}

class Grouping {
 public:
  explicit Grouping(const Scenario& scenario) : scenario_(scenario), sets_(scenario.event_count()) {}

  Groups run() {
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
    return collect();
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
    join_first(position_, std::pair{event.comm, next_position_[event.comm]++}, number);
  }

  void at_shared_position(const Event& event, std::uint32_t number) {
    const std::string& name = event.extras.win().empty() ? event.extras.file() : event.extras.win();
    join_first(shared_, std::pair{name, next_shared_[name]++}, number);
  }

  // What a lock, a start or a post opens goes with what closes it and with the accesses in between; each start goes
  // with the posts that it meets.
  void in_epoch(const Event& event, std::uint32_t number) {
    const auto key = [&](const char* kind) { return fmt::format("{} {}", kind, event.extras.win()); };
    const std::string lock = fmt::format("{} {}", key("lock"), event.extras.target().value_or(-1));
    switch (event.op) {
      case Op::win_lock: epochs_[lock] = number; return;
      case Op::win_lock_all: epochs_[key("all")] = number; return;
      case Op::win_unlock: return close(lock, number);
      case Op::win_unlock_all: return close(key("all"), number);
      case Op::win_start:
      case Op::win_post: return open(event, number, key(event.op == Op::win_start ? "start" : "post"));
      case Op::win_complete: return close(key("start"), number);
      case Op::win_wait: return close(key("post"), number);
      default: break;
    }
    for (const std::string& place : {lock, key("all"), key("start")})
      if (const auto epoch = epochs_.find(place); epoch != epochs_.end()) sets_.join(epoch->second, number);
  }

  void open(const Event& event, std::uint32_t number, const std::string& place) {
    epochs_[place] = number;
    for (const std::int32_t member : event.extras.ranks()) {
      const bool starts = event.op == Op::win_start;
      const std::int32_t other = global(event, member);
      const std::string pair =
          fmt::format("{} {} {}", event.extras.win(), starts ? rank_ : other, starts ? other : rank_);
      join_first(meetings_, std::pair{pair, next_meeting_[{rank_, starts, pair}]++}, number);
    }
  }

  void close(const std::string& place, std::uint32_t number) {
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
    for (auto half = lane.recvs.begin(); half != lane.recvs.end(); ++half) {
      if (!fits(tag, half->tag)) continue;
      sets_.join(half->event, number);
      lane.recvs.erase(half);
      return;
    }
    lane.sends.push_back({number, tag});
  }

  void recv_half(const Event& event, std::uint32_t number, std::int32_t from, std::int32_t tag) {
    const std::int32_t source = global(event, from == kAny ? event.extras.matched() : from);
    if (source < 0) return;
    Lane& lane = lanes_[{event.comm, source, rank_}];
    for (auto half = lane.sends.begin(); half != lane.sends.end(); ++half) {
      if (!fits(half->tag, tag)) continue;
      sets_.join(half->event, number);
      lane.sends.erase(half);
      return;
    }
    lane.recvs.push_back({number, tag});
  }

  void both_halves(const Event& event, std::uint32_t number) {
    const EventExtras& x = event.extras;
    const auto or_common = [](std::int32_t own, std::int32_t common) { return own != kUnset ? own : common; };
    send_half(event, number, or_common(x.sendpeer(), event.peer), or_common(x.sendtag(), tag_of(event)));
    recv_half(event, number, or_common(x.recvpeer(), event.peer), or_common(x.recvtag(), tag_of(event)));
  }

  Groups collect() {
    Groups groups;
    std::vector<std::uint32_t> id(scenario_.event_count());
    std::uint32_t number = 0;
    for (std::size_t rank = 0; rank < scenario_.ranks.size(); ++rank) {
      std::vector<std::uint32_t>& of = groups.of.emplace_back();
      for (std::uint32_t i = 0; i < scenario_.ranks[rank].events.size(); ++i, ++number) {
        const std::uint32_t root = sets_.find(number);
        if (root == number) {
          id[number] = static_cast<std::uint32_t>(groups.members.size());
          groups.members.emplace_back();
        }
        of.push_back(id[root]);
        groups.members[id[root]].push_back({static_cast<std::int32_t>(rank), i});
      }
    }
    return groups;
  }

  const Scenario& scenario_;
  DisjointSets sets_;
  std::int32_t rank_ = 0;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> position_;  // communicator and position
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> shared_;     // window or file and position
  std::unordered_map<std::int32_t, std::uint32_t> creation_;
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, Lane> lanes_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint32_t> meetings_;  // window, origin, target and ordinal
  std::map<std::tuple<std::int32_t, bool, std::string>, std::uint32_t> next_meeting_;
  // Of the rank that is being visited.
  std::map<std::string, std::uint32_t> epochs_;  // open ones, by kind, window and target
  std::unordered_map<std::int32_t, std::uint32_t> next_position_;
  std::unordered_map<std::string, std::uint32_t> next_shared_;
  std::unordered_map<std::uint32_t, std::uint32_t> first_of_request_;
  std::unordered_map<std::int64_t, std::uint32_t> first_of_message_;
};

}  // namespace

Groups group_events(const Scenario& scenario) {
  return Grouping(scenario).run();
}

}  // namespace petri::reduce

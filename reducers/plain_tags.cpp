#include "reducers/plain_tags.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/extras_pool.hpp"

namespace petri::reduce {
namespace {

constexpr std::uint32_t kFewest = 3;  // ranks that follow a rule

// One side of a message. Sender and receiver are group ranks, negative where a receive takes any.
struct Half {
  std::int32_t comm, sender, receiver, tag;
};

// How many ranks use a number on a communicator, and the least tag that they use with it.
class Uses {
 public:
  // Called rank by rank.
  void add(std::int32_t comm, std::int32_t number, std::int32_t rank, std::int32_t tag) {
    Use& use = uses_[key(comm, number)];
    if (use.ranks == 0 || use.last != rank) ++use.ranks;
    use.least_tag = use.ranks == 1 ? tag : std::min(use.least_tag, tag);
    use.last = rank;
  }
  std::uint32_t ranks(std::int32_t comm, std::int32_t number) const {
    const auto found = uses_.find(key(comm, number));
    return found == uses_.end() ? 0 : found->second.ranks;
  }
  std::int32_t least_tag(std::int32_t comm, std::int32_t number) const { return uses_.at(key(comm, number)).least_tag; }

 private:
  struct Use {
    std::uint32_t ranks = 0;
    std::int32_t last = 0, least_tag = 0;
  };
  static std::uint64_t key(std::int32_t comm, std::int32_t number) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(comm)) << 32U) | static_cast<std::uint32_t>(number);
  }
  std::unordered_map<std::uint64_t, Use> uses_;
};

// Group ranks of the members of each communicator that somebody asks about.
class GroupRanks {
 public:
  explicit GroupRanks(const Scenario& scenario) : scenario_(scenario), members_(scenario.comms.size()) {}

  // Negative on an intercommunicator, whose groups name each other's members, and where the members are unknown.
  std::int32_t of(std::int32_t rank, std::int32_t comm) {
    if (comm == 0) return rank;
    const Communicator& group = scenario_.comms[static_cast<std::size_t>(comm)];
    if (group.is_inter()) return kUnset;
    auto& members = members_[static_cast<std::size_t>(comm)];
    if (members.empty())
      for (std::size_t member = 0; member < group.ranks.size(); ++member)
        members.emplace(group.ranks[member], static_cast<std::int32_t>(member));
    const auto found = members.find(rank);
    return found == members.end() ? kUnset : found->second;
  }

 private:
  const Scenario& scenario_;
  std::vector<std::unordered_map<std::int32_t, std::int32_t>> members_;
};

std::int32_t or_common(std::int32_t own, std::int32_t common) {
  return own != kUnset ? own : common;
}

class TagRules {
 public:
  explicit TagRules(const Scenario& scenario) : scenario_(scenario), group_ranks_(scenario) {
    for (std::int32_t rank = 0; rank < scenario.world(); ++rank)
      for (const Event& event : scenario.ranks[static_cast<std::size_t>(rank)].events) note(event, rank);
  }

  std::optional<Scenario> apply() {
    std::optional<Scenario> result;
    ExtrasPool extras;
    for (std::int32_t rank = 0; rank < scenario_.world(); ++rank) {
      const auto slot = static_cast<std::size_t>(rank);
      for (std::size_t i = 0; i < scenario_.ranks[slot].events.size(); ++i) {
        const Event& event = scenario_.ranks[slot].events[i];
        const Tags before = tags_of(event), now = plain_tags(event, rank);
        if (now == before) continue;
        if (!result) result = scenario_;
        Event& changed = result->ranks[slot].events[i];
        set_tags(changed, now);
        extras.share(changed.extras);
      }
    }
    return result;
  }

 private:
  struct Tags {
    std::int32_t sent = 0, received = 0;
    bool operator==(const Tags&) const = default;
  };

  static Tags tags_of(const Event& event) {
    return {or_common(event.extras.sendtag(), tag_of(event)), or_common(event.extras.recvtag(), tag_of(event))};
  }
  Half sent(const Event& event, std::int32_t rank) {
    return {event.comm, group_ranks_.of(rank, event.comm), or_common(event.extras.sendpeer(), event.peer),
            tags_of(event).sent};
  }
  Half received(const Event& event, std::int32_t rank) {
    return {event.comm, or_common(event.extras.recvpeer(), event.peer), group_ranks_.of(rank, event.comm),
            tags_of(event).received};
  }

  static bool sends(const Event& event) {
    return kind_of(event.op) == OpKind::send || kind_of(event.op) == OpKind::sendrecv;
  }
  // What a matched probe took names neither source nor tag.
  static bool receives(const Event& event) {
    const OpKind kind = kind_of(event.op);
    return kind == OpKind::sendrecv || kind == OpKind::probe || (kind == OpKind::recv && event.peer != kUnset);
  }

  void note(const Event& event, std::int32_t rank) {
    if (sends(event)) {
      const Half half = sent(event, rank);
      note(half, half.sender, senders_);
    }
    if (receives(event)) {
      const Half half = received(event, rank);
      note(half, half.receiver, receivers_);
    }
  }

  // What one side of messages names by its tags.
  struct Side {
    Uses tags, rules;  // a rule is what a tag adds to the group rank
  };
  static void note(const Half& half, std::int32_t self, Side& side) {
    if (half.tag < 0 || self < 0) return;
    side.tags.add(half.comm, half.tag, self, half.tag);
    side.rules.add(half.comm, half.tag - self, self, half.tag);
  }

  std::int32_t plain(const Half& half) const {
    if (half.tag < 0) return half.tag;
    const auto followers = [&](const Side& side, std::int32_t rank) {
      return rank < 0 ? 0 : side.rules.ranks(half.comm, half.tag - rank);
    };
    const std::uint32_t as_it_is =
        std::max(senders_.tags.ranks(half.comm, half.tag), receivers_.tags.ranks(half.comm, half.tag));
    const std::uint32_t by_sender = followers(senders_, half.sender),
                        by_receiver = followers(receivers_, half.receiver);
    const std::uint32_t most = std::max(by_sender, by_receiver);
    if (most < kFewest || most <= as_it_is) return half.tag;
    return by_sender == most ? senders_.rules.least_tag(half.comm, half.tag - half.sender)
                             : receivers_.rules.least_tag(half.comm, half.tag - half.receiver);
  }

  Tags plain_tags(const Event& event, std::int32_t rank) {
    Tags tags = tags_of(event);
    if (sends(event)) tags.sent = plain(sent(event, rank));
    if (receives(event)) tags.received = plain(received(event, rank));
    return tags;
  }

  static void set_tags(Event& event, Tags tags) {
    const bool is_common = event.extras.sendtag() == kUnset && event.extras.recvtag() == kUnset;
    if (kind_of(event.op) != OpKind::sendrecv) {
      event.tag = sends(event) ? tags.sent : tags.received;
    } else if (is_common && tags.sent == tags.received) {
      event.tag = tags.sent;
    } else {
      event.tag = kUnset;
      event.extras.set_sendtag(tags.sent);
      event.extras.set_recvtag(tags.received);
    }
  }

  const Scenario& scenario_;
  GroupRanks group_ranks_;
  Side senders_, receivers_;
};

}  // namespace

std::optional<Scenario> with_plain_tags(const Scenario& scenario) {
  return TagRules(scenario).apply();
}

}  // namespace petri::reduce

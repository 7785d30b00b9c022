// Point-to-point matching (MPI 4.1, section 3.5): by communicator, source and tag, without overtaking.
//
// A specific receive matches as soon as its message is certain. A wildcard receive is held back until somebody resolves
// it: then every message that can reach it without its own help has been sent, and all its candidates are known.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/model/number_queue.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::model {

inline constexpr std::uint32_t kNone = 0xffffffff;

// One side of a message, posted by an event. Source and destination are group ranks of the communicator.
struct Post {
  EventRef at;
  std::int32_t comm = 0;
  std::int32_t source = 0;  // kAny: a wildcard receive
  std::int32_t dest = 0;
  std::int32_t tag = 0;          // kAny on receives
  std::int32_t prefer = kUnset;  // the source that the record shows for a wildcard
  bool holds = false;            // a matched probe's: its message is off the queue, but not received yet
};

// A wildcard receive with the messages that it may take now, one per source.
struct OpenWildcard {
  std::uint32_t recv = kNone;
  std::vector<std::uint32_t> candidates;  // sends, by ascending source
};

class Mail {
 public:
  // Adds a side; returns its number. A match that becomes certain is made at once: see take_matches.
  std::uint32_t post_send(const Post& post);
  std::uint32_t post_recv(const Post& post);

  // What was posted, as long as the message has not been received.
  const Post& send(std::uint32_t number) const { return posts_[sends_[number].post]; }
  const Post& recv(std::uint32_t number) const { return posts_[recvs_[number].post]; }
  EventRef send_at(std::uint32_t number) const { return sends_[number].at; }
  EventRef recv_at(std::uint32_t number) const { return recvs_[number].at; }
  // The other side, or kNone.
  std::uint32_t receiver_of(std::uint32_t send) const { return sends_[send].partner; }
  std::uint32_t sender_of(std::uint32_t recv) const { return recvs_[recv].partner; }
  bool send_matched(std::uint32_t number) const { return receiver_of(number) != kNone; }
  bool recv_matched(std::uint32_t number) const { return sender_of(number) != kNone; }
  // Has its message been received? What only a matched probe took, has not (MPI 4.1, section 3.8.2).
  bool send_received(std::uint32_t number) const { return send_matched(number) && sends_[number].post == kNone; }
  // Receives what a matched probe took; returns its send, or kNone where it took none.
  std::uint32_t fetch(std::uint32_t recv);

  // Takes back a side that has not matched (MPI_Cancel); false when it has.
  bool withdraw_send(std::uint32_t number);
  bool withdraw_recv(std::uint32_t number);

  // Pairs (send, receive) made since the last call.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> take_matches() { return std::exchange(fresh_, {}); }

  std::vector<EventRef> unmatched_sends() const;

  // Is a message there that a probe with these arguments would see?
  bool visible(std::int32_t comm, std::int32_t dest, std::int32_t source, std::int32_t tag) const;

  // Wildcards that could take some message now, in the order of their posting.
  std::vector<OpenWildcard> open_wildcards() const;
  // Gives a wildcard one of its candidates, and lets everything follow that is certain then.
  void resolve(std::uint32_t recv, std::uint32_t send);

 private:
  // What is kept of each to the end; the rest goes with its message, so that a long run stays small.
  struct Side {
    EventRef at;
    std::uint32_t partner = kNone;
    std::uint32_t post = kNone;  // in posts_; kNone once the message was received
  };
  struct Channel {  // what one source sent there: pending, in the order of posting
    std::int32_t source = 0;
    NumberQueue sends;
  };
  struct Box {                      // what waits at one destination of one communicator
    NumberQueue recvs;              // pending, in the order of posting
    std::vector<Channel> channels;  // by ascending source; one that is empty now will be used again
    const Channel* find(std::int32_t source) const;
    Channel& from(std::int32_t source);
  };
  static std::uint64_t key(std::int32_t comm, std::int32_t dest) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(comm)) << 32) | static_cast<std::uint32_t>(dest);
  }
  bool fits(const Post& recv, const Post& send) const;
  std::uint32_t first_fitting(const Channel& channel, const Post& recv) const;
  std::uint32_t first_fitting(const Box& box, const Post& recv) const;  // of one source
  bool claimed_earlier(const Box& box, std::uint32_t send, std::uint32_t before_recv) const;
  bool try_recv(Box& box, std::uint32_t recv);
  void try_send(Box& box, std::uint32_t send);
  void settle(Box& box);
  void pair(Box& box, std::uint32_t send, std::uint32_t recv);

  std::uint32_t keep(const Post& post);
  void let_go(Side& side);

  std::deque<Side> sends_, recvs_;
  std::vector<Post> posts_;
  std::vector<std::uint32_t> free_posts_;
  std::unordered_map<std::uint64_t, Box> boxes_;
  std::map<std::uint32_t, std::uint64_t> wildcards_;  // pending wildcard receives and their boxes
  std::vector<std::pair<std::uint32_t, std::uint32_t>> fresh_;
};

}  // namespace petri::model

// What the reference knows at one moment of one interleaving, and what it knows of a scenario beforehand.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "tests/model/reference.hpp"

namespace petri::test::reference {

using Rank = std::int32_t;  // global

// Whoever waits for something: a rank's request (its number), or the call that a lane is in (-1 - lane). {-1, 0} is
// nobody.
using Owner = std::pair<Rank, std::int32_t>;
inline constexpr Owner kNobody{-1, 0};

// One side of a message that has not met its other side.
struct Side {
  std::int32_t comm = 0, source = 0, dest = 0, tag = 0;  // source, dest: global ranks; source and tag may be kAny
  Owner owner = kNobody;
  bool awaited = true;  // its owner is not done before the match
  EventRef at;
  auto operator<=>(const Side&) const = default;
};

// A matched probe's message, until its mrecv.
struct Probed {
  Rank rank = 0;
  std::int64_t message = 0;
  Side send;
  auto operator<=>(const Probed&) const = default;
};

// Where calls meet by position: on a communicator, window or file; at the starts of one persistent collective (sub is
// the position of its init); or outside any sequence, by what the calls name.
struct Domain {
  enum Kind : std::int32_t { comm, window, file, starts, outside };
  Kind kind = comm;
  std::int32_t id = 0, sub = 0;
  auto operator<=>(const Domain&) const = default;
};

// One rank's place at one position.
struct Seat {
  Domain domain;
  std::int32_t position = 0;
  Rank rank = 0;
  bool taken = true;  // false: issued to a device, not running yet
  Owner owner = kNobody;
  EventRef at;
  auto operator<=>(const Seat&) const = default;
};

struct Persistent {
  Rank rank = 0;
  std::uint32_t request = 0, init = 0;  // init: index of the event
  std::int32_t starts = 0;
  std::vector<std::uint8_t> ready;  // partitions of the latest start
  auto operator<=>(const Persistent&) const = default;
};

struct Lock {
  std::int32_t win = 0;
  Rank target = 0, origin = 0;
  bool exclusive = false, granted = false;
  auto operator<=>(const Lock&) const = default;
};

// A pair of ranks in an epoch of post, start, complete and wait.
struct Epoch {
  std::int32_t win = 0;
  Rank target = 0, origin = 0;
  auto operator<=>(const Epoch&) const = default;
};

// An operation with a request that fetches through a lock.
struct Fetch {
  Owner owner = kNobody;
  std::int32_t win = 0;
  Rank target = 0;
  auto operator<=>(const Fetch&) const = default;
};

struct State {
  struct Lane {
    std::uint32_t next = 0;  // unit
    bool inside = false;     // has begun it
    auto operator<=>(const Lane&) const = default;
  };
  std::vector<Lane> lanes;
  std::vector<Side> sends, recvs;  // unmatched, in the order of posting
  std::vector<Probed> probed;
  std::vector<Seat> seats;                                // ordered
  std::vector<std::pair<Rank, std::uint32_t>> active;     // requests that are neither completed nor freed, ordered
  std::vector<Persistent> persistent;                     // ordered
  std::vector<Lock> locks;                                // ordered
  std::vector<Epoch> posts, starts, accesses, exposures;  // posts and starts wait for each other; ordered
  std::vector<Epoch> completed;                           // by the origin, not yet seen by the target; ordered
  std::vector<Fetch> fetches;
  bool mismatch = false, erroneous = false;
  auto operator<=>(const State&) const = default;
};

// Adds to, or takes one like it out of, an ordered list.
template <class T>
void add(std::vector<T>& list, T item) {
  list.insert(std::upper_bound(list.begin(), list.end(), item), std::move(item));
}
template <class T>
bool take(std::vector<T>& list, const T& item) {
  const auto found = std::lower_bound(list.begin(), list.end(), item);
  if (found == list.end() || !(*found == item)) return false;
  list.erase(found);
  return true;
}

// What a lane performs as one: a call, or a group of NCCL calls, which are one launch.
struct Unit {
  std::vector<std::uint32_t> events;  // of the rank
  std::uint32_t issued = 0;           // of a stream's: the event that the host must have passed
};

struct LaneFacts {
  Rank rank = 0;
  bool is_stream = false;
  std::int32_t device = 0, thread = 0;
  std::string stream;
  std::vector<Unit> units;
};

class Facts {
 public:
  Facts(const Scenario& scenario, const Assumed& assumed);

  const Event& event(EventRef ref) const { return at(scenario, ref); }
  bool strict() const { return !assumed.buffered; }
  std::int32_t number_of(const std::string& name) const;                     // of a window, a file, a meeting
  std::vector<Rank> members(std::int32_t comm) const;                        // of both groups
  Rank peer(std::int32_t comm, Rank caller, std::int32_t group_rank) const;  // global, or -1
  std::int32_t group_rank(std::int32_t comm, Rank rank) const;               // in its own group
  // The lane and the unit in which a stream performs an event, or {-1, 0}.
  std::pair<std::int32_t, std::uint32_t> on_stream(EventRef ref) const;
  bool is_enqueued(const Event& event) const;

  const Scenario& scenario;
  const Assumed& assumed;
  std::vector<LaneFacts> lanes;

 private:
  void add_threads(Rank rank);
  void add_streams(Rank rank);
  LaneFacts& lane_of(LaneFacts wanted);

  mutable std::map<std::string, std::int32_t> names_;
};

// Point-to-point (chapters 3 and 4).
bool does_send(const Event& event);
bool does_receive(const Event& event);
void post_sides(const Facts& facts, State& state, EventRef ref, const Event& arguments, Owner owner);
bool may_match(const State& state, std::size_t send, std::size_t recv);
void match(const Facts& facts, State& state, std::size_t send, std::size_t recv);
// The unmatched sends that a probe of this event could report, as indices.
std::vector<std::size_t> visible(const Facts& facts, const State& state, EventRef probe);
void take_probed(const Facts& facts, State& state, EventRef mprobe, std::size_t send);
void fetch_probed(const Facts& facts, State& state, EventRef mrecv);
bool withdraw(State& state, Owner owner);
bool in_flight(const State& state, Owner owner);

// Partitioned communication (section 4.2).
bool is_partitioned(const Event& init);
void make_ready(const Facts& facts, State& state, EventRef ref);
// A partitioned pair that both have started, of which the receive is too small or of another type.
bool partitions_clash(const Facts& facts, const State& state, const Persistent& request);
bool partitions_done(const Facts& facts, const State& state, const Persistent& request);
bool has_arrived(const Facts& facts, const State& state, EventRef parrived);

// Collectives on communicators, windows and files (chapters 6 to 8, 12 and 14).
bool is_collective(const Event& event);
void take_seat(const Facts& facts, State& state, EventRef ref, Owner owner, bool taken);
void launch_seat(const Facts& facts, State& state, EventRef ref, Owner owner);
void start_collective(const Facts& facts, State& state, const Persistent& request, Owner owner);
bool seats_done(const Facts& facts, const State& state, Owner owner);
// Does the latest arrival disagree with another member in an argument that must agree?
bool arguments_clash(const Facts& facts, const Seat& one, const Seat& other);
bool message_clashes(const Facts& facts, const Side& send, const Side& recv);

// One-sided communication (chapter 12).
void begin_window_call(const Facts& facts, State& state, EventRef ref, Owner owner);
bool window_call_done(const Facts& facts, const State& state, EventRef ref);
void leave_window_call(const Facts& facts, State& state, EventRef ref);
void match_epochs(State& state);
std::vector<std::size_t> grantable(const State& state);
bool fetches_done(const State& state, Owner owner);

// Devices.
bool device_call_done(const Facts& facts, const State& state, EventRef ref);
bool may_launch(const Facts& facts, const State& state, std::size_t lane);

}  // namespace petri::test::reference

// One-sided synchronization: who may enter and leave an epoch (MPI 4.1, section 12.5).
//
// Post-start-complete-wait: the n-th start of an origin that names a target meets the n-th post of that target that
// names the origin, and likewise completes and waits (section 12.5.2). Locks: an exclusive one excludes all others at
// its target (section 12.5.3); which of several requests is granted first is a free decision, made by whoever drives
// this. Origins and targets are global ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::model {

// A request for a lock at one target, or at all members (kAny, win_lock_all).
struct Lock {
  enum class State : std::uint8_t { wanted, held, released };
  EventRef at;
  std::int32_t window = 0;
  std::int32_t target = kAny;
  bool exclusive = false;
  State state = State::wanted;
};

// One access epoch (of an origin) or exposure epoch (of a target): for each partner, which of its epochs it meets.
struct Epoch {
  EventRef at;
  std::int32_t window = 0;
  bool access = true;
  std::vector<std::pair<std::int32_t, std::uint32_t>> partners;
};

class Windows {
 public:
  explicit Windows(const Scenario& scenario);

  std::int32_t window_of(const Event& event) const;  // by its name; -1 where the event names none

  // Epochs. `post` and `start` open one; `complete` ends the access epoch of a rank and lets its targets go. Each
  // returns its number, or kNone where there is none.
  std::uint32_t post(EventRef at, std::int32_t window, const std::vector<std::int32_t>& origins);
  std::uint32_t start(EventRef at, std::int32_t window, const std::vector<std::int32_t>& targets);
  std::uint32_t open_epoch(std::int32_t window, std::int32_t rank, bool access) const;
  void complete(std::uint32_t epoch);
  void close(std::uint32_t epoch);  // the exposure epoch that a wait ends
  const Epoch& epoch(std::uint32_t number) const { return epochs_[number]; }
  // Partners that have not yet done their part: for an access epoch those that have not posted, for an exposure epoch
  // those that have not completed.
  std::vector<std::int32_t> missing(std::uint32_t epoch) const;

  // Locks. A request that nobody can contend for is granted at once.
  std::uint32_t request(EventRef at, std::int32_t window, std::int32_t target, bool exclusive);
  // The open lock of a rank at a target, or its lock_all; kNone where it has none.
  std::uint32_t open_lock(std::int32_t window, std::int32_t rank, std::int32_t target) const;
  std::vector<std::uint32_t> open_locks(std::int32_t window, std::int32_t rank) const;
  const Lock& lock(std::uint32_t number) const { return locks_[number]; }
  bool held(std::uint32_t number) const { return locks_[number].state != Lock::State::wanted; }
  std::vector<std::uint32_t> grantable() const;  // in the order of the requests
  // A grantable lock of a window on which the order of the grants decides nothing: each lock is given back by calls
  // that wait for nobody. kNone where there is none.
  std::uint32_t grantable_in_any_order() const;
  void grant(std::uint32_t number);
  void release(std::uint32_t number);
  std::vector<std::int32_t> holders_against(std::uint32_t number) const;  // ascending

  // Could the grants of these two exclude each other, now or with what follows?
  static bool contend(const Lock& one, const Lock& other);

 private:
  // Locks held on one window.
  struct Held {
    std::map<std::int32_t, std::uint32_t> shared;  // by target: how many
    std::map<std::int32_t, std::uint32_t> exclusive;
    std::uint32_t shared_at_all = 0;
  };
  using Meeting = std::tuple<std::int32_t, std::int32_t, std::int32_t>;  // window, origin, target
  bool is_free(const Lock& lock) const;
  std::uint32_t open(Epoch epoch);

  std::unordered_map<std::string, std::int32_t> names_;
  std::vector<bool> exclusive_;  // by window: some call asks for an exclusive lock
  std::vector<bool> any_order_;  // by window: nobody waits for anything else while holding a lock
  std::vector<Held> held_;       // by window
  std::vector<Epoch> epochs_;
  std::vector<Lock> locks_;
  std::vector<std::uint32_t> wanted_;                                                       // ascending
  std::map<Meeting, std::uint32_t> posts_, starts_, completes_;                             // how many so far
  std::map<std::tuple<std::int32_t, std::int32_t, bool>, std::uint32_t> open_epochs_;       // window, rank, access
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> open_locks_;  // window, rank
};

}  // namespace petri::model

// The engine behind run(): the ranks' program counters, their requests, and the order in which things happen.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "harness/model/mail.hpp"
#include "harness/model/run.hpp"

namespace petri::model {

class Machine {
 public:
  Machine(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script);
  Run execute();

 private:
  // What a posted operation needs before it is done: up to two sides of messages, or a place in a gathering.
  struct Pending {
    EventRef posted;
    std::uint32_t send = kNone, recv = kNone, gathering = kNone;
    bool send_buffered = false;
    bool cancelled = false;
  };
  struct Rank {
    std::uint32_t pc = 0;
    bool entered = false;  // the event at pc has been posted
    bool queued = false;
    bool over = false;  // nothing more to do: standing is final
    bool finalizing = false;
    bool forced = false;                                  // may leave its event because the record says that it did
    Pending current;                                      // of the blocking event at pc
    std::unordered_map<std::uint32_t, Pending> requests;  // by number
    std::unordered_map<std::uint32_t, EventRef> inits;    // what made each persistent request
  };

  void wake(std::int32_t rank);
  void drain();
  void advance(std::int32_t rank);
  void enter(std::int32_t rank, const Event& event);
  bool can_leave(std::int32_t rank, const Event& event) const;
  void leave(std::int32_t rank, const Event& event);
  void enter_world(std::int32_t rank, const Event& event);
  void enter_finalize(std::int32_t rank);
  void reach_end(std::int32_t rank);
  void stop(std::int32_t rank, Standing standing);

  void post(std::int32_t rank, const Event& event);
  void start(std::int32_t rank, const Event& event);
  void cancel(std::int32_t rank, const Event& event);
  bool judged(const Event& event) const;
  bool is_last(std::int32_t rank) const { return state(rank).pc + 1 == trace(rank).events.size(); }
  void post_send(const Event& event, EventRef ref, Pending& pending);
  void post_recv(const Event& event, EventRef ref, Pending& pending);
  void arrive(std::int32_t rank, const Event& event, EventRef ref, Pending& pending);
  void announce_matches();

  bool done(std::int32_t rank, const Pending& pending) const;
  bool gathering_done(std::int32_t rank, const Gathering& gathering) const;
  bool requests_done(std::int32_t rank, const Event& event) const;
  bool tests_succeed(const Event& event) const;
  bool message_there(std::int32_t rank, const Event& event) const;
  bool place_unknown(std::int32_t rank, const Event& event) const;
  bool runs_here(std::int32_t rank, const Event& event) const;
  bool spins_here(std::int32_t rank, const Event& event) const;

  bool resolve_as_recorded();
  bool resolve_by_choice(bool against_record);
  void resolve(const OpenWildcard& wildcard, std::size_t candidate);
  bool follow_record();

  Wait wait_of(std::int32_t rank) const;
  void add_atoms(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const;
  void finish();

  Rank& state(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const Rank& state(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  const RankTrace& trace(std::int32_t rank) const { return scenario_.ranks[static_cast<std::size_t>(rank)]; }
  std::int32_t global(std::int32_t comm, std::int32_t group) const {
    return run_.gatherings.ranks_of(comm)[static_cast<std::size_t>(group)];
  }

  const Scenario& scenario_;
  Assumptions assumptions_;
  const std::vector<std::uint32_t>& script_;
  Run run_;
  Mail mail_;
  std::vector<Rank> ranks_;
  std::deque<std::int32_t> queue_;
  std::int32_t in_finalize_ = 0;
  std::vector<bool> unmodelled_;  // by operation
};

}  // namespace petri::model

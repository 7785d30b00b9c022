// The engine behind run(): the lanes' program counters, the ranks' requests, and the order in which things happen.
//
// machine.cpp drives, machine_post.cpp begins operations, machine_wait.cpp says which are done and who waits for what,
// machine_choice.cpp decides what is free, machine_device.cpp performs what is enqueued on streams.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/model/handovers.hpp"
#include "harness/model/mail.hpp"
#include "harness/model/op_rules.hpp"
#include "harness/model/partitions.hpp"
#include "harness/model/rivals.hpp"
#include "harness/model/run.hpp"
#include "harness/model/windows.hpp"

namespace petri::model {

class Machine {
 public:
  Machine(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script);
  Run execute();

 private:
  // What a posted operation needs before it is done: sides of messages, a place in a gathering, an epoch's partners, …
  struct Pending {
    EventRef posted;
    std::uint32_t send = kNone, recv = kNone, gathering = kNone;
    std::uint32_t psend = kNone, precv = kNone;  // of a started partitioned request
    std::uint32_t epoch = kNone;
    std::vector<std::uint32_t> locks;
    bool send_buffered = false;
    bool cancelled = false;
  };
  // What made a persistent request, and how often it was started.
  struct Init {
    EventRef call;
    std::uint32_t gathering = kNone, psend = kNone, precv = kNone;
    std::uint32_t starts = 0;
  };
  // A place in a stream's queue: reached when the stream's lane has performed so many launches.
  struct Ticket {
    std::uint32_t lane = kNone;
    std::size_t launches = 0;
  };
  // What a stream performs at once: one operation, or those of a group.
  struct Launch {
    std::vector<std::uint32_t> events;
    std::vector<std::uint32_t> gatherings;  // by event; kNone where it meets nobody
    Ticket after;                           // stream_wait: where the event was recorded
    bool communicates = false;
  };
  struct LaneState {
    std::uint32_t pc = 0;  // of a thread: in its events; of a stream: in its launches
    bool entered = false;  // the event or launch at pc has been posted
    bool queued = false;
    bool over = false;    // nothing more to do: standing is final
    bool chosen = false;  // goes before its rivals: see hold_back
    bool forced = false;  // may leave its event because the record says that it did
    std::vector<Pending> current;
    std::vector<Launch> launches;  // of a stream
    // Of a thread: how deep its groups are, and stream and event of what they hold.
    std::uint32_t group_depth = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> group;
  };
  struct RankState {
    bool finalizing = false;
    std::unordered_map<std::uint32_t, Pending> requests;                    // by number
    std::unordered_map<std::uint32_t, Init> inits;                          // persistent requests by number
    std::map<std::pair<std::int32_t, std::string>, std::uint32_t> streams;  // lanes by device and name
    std::map<std::string, Ticket> recorded;                                 // by event name: its latest record
    std::map<std::int64_t, std::uint32_t> probed;                           // by message: the matched probe's receive
  };
  // One way on where nothing certain is left: a wildcard takes a message, a lock is granted, a thread makes a call
  // before the others make theirs, or a device runs a kernel.
  struct Alternative {
    std::uint32_t recv = kNone, send = kNone, lock = kNone, lane = kNone;
    std::size_t candidate = 0;
    std::shared_ptr<const OpenWildcard> wildcard;
    EventRef at, from;  // stay the same when other things happen before
  };

  // Driving.
  void wake_lane(std::uint32_t lane);
  void wake(std::int32_t rank);
  void drain();
  void advance(std::uint32_t lane);
  void advance_thread(std::uint32_t lane);
  void enter(std::uint32_t lane, EventRef ref);
  void leave(std::uint32_t lane, EventRef ref);
  void enter_world(std::uint32_t lane, const Event& event);
  void enter_finalize(std::int32_t rank);
  void reach_end(std::uint32_t lane);
  void stop_lane(std::uint32_t lane, Standing standing);
  void stop(std::int32_t rank, Standing standing);
  void finish();
  void stand(std::int32_t rank);

  // Beginning operations.
  Pending post(const Event& event, EventRef ref);
  void post_init(const Event& event, EventRef ref);
  void post_messages(const Event& event, Pending& pending);
  void post_window(const Event& event, Pending& pending);
  void post_lock(const Event& event, std::int32_t window, Pending& pending);
  void mark_ready(const Event& event, EventRef ref);
  void meet_partitioned(std::uint32_t send, std::uint32_t recv);
  void start(const Event& event, std::int32_t rank);
  void cancel(const Event& event, std::int32_t rank);
  bool judged(const Event& event) const;
  void post_send(const Event& event, EventRef ref, Pending& pending);
  void post_recv(const Event& event, EventRef ref, Pending& pending);
  void fetch_probed(const Event& event, EventRef ref);
  bool was_cancelled(const Event& event, EventRef ref) const;
  bool address(const Event& event, EventRef ref, std::int32_t peer, std::int32_t tag, bool sends, Post& post) const;
  void arrived(std::uint32_t gathering, std::int32_t rank);
  void announce_matches();
  bool buffers(const Event& event) const;

  // Leaving them.
  bool can_leave(std::uint32_t lane, EventRef ref) const;
  bool can_leave_window(const Event& event, const Pending& pending) const;
  bool done(std::int32_t rank, const Pending& pending) const;
  bool messages_done(const Pending& pending) const;
  bool partitions_done(const Pending& pending) const;
  bool gathering_done(std::int32_t rank, const Gathering& gathering) const;
  std::int32_t awaited_in(std::int32_t rank, const Gathering& gathering) const;
  void watch(std::int32_t rank, const Pending& pending);
  void watch_event(std::uint32_t lane, EventRef ref);
  bool requests_done(std::int32_t rank, const Event& event) const;
  bool message_there(std::int32_t rank, const Event& event) const;
  bool place_unknown(EventRef ref);
  bool is_doubtful(EventRef ref) const;
  bool runs_here(EventRef ref) const;
  bool spins_here(EventRef ref) const;
  void close_epochs(const Event& event, const Pending& pending);
  void take_completed(std::int32_t rank, const Event& event);
  Wait wait_of(std::uint32_t lane) const;
  void add_atoms(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const;
  void add_gathering_atom(std::int32_t rank, const Pending& pending, std::vector<Atom>& atoms) const;
  void add_partition_atom(const Pending& pending, std::vector<Atom>& atoms) const;

  // Deciding what is free.
  std::uint32_t handed_over_by(std::uint32_t lane) const;
  bool hold_back(std::uint32_t lane, EventRef ref);
  bool let_uncontested_go();
  bool comes_too_early(std::uint32_t lane) const;
  bool enter_as_recorded();
  bool resolve_as_recorded();
  bool grant_where_certain();
  bool resolve_by_choice(bool against_record);
  std::vector<Alternative> alternatives(bool against_record) const;
  Alternative alternative_of(std::uint32_t lane) const;
  Alternative alternative_of(std::shared_ptr<const OpenWildcard> wildcard, std::size_t candidate) const;
  void perform(const Alternative& alternative);
  bool depend(const Alternative& one, const Alternative& other) const;
  bool asleep(const Alternative& alternative) const;
  void wake_dependent(const Alternative& performed);
  bool follow_record();

  // Device streams.
  void advance_stream(std::uint32_t lane);
  void enqueue(std::uint32_t lane, EventRef ref);
  void end_group(std::uint32_t lane);
  void launch(std::uint32_t stream, const std::vector<std::uint32_t>& events, std::int32_t rank);
  void enter_launch(std::uint32_t lane, const Launch& launch);
  bool launch_done(std::uint32_t lane, const Launch& launch) const;
  bool device_free(std::uint32_t lane) const;
  bool occupy_devices();
  void occupy_device(std::uint32_t lane);
  bool reached(const Ticket& ticket) const;
  std::vector<Ticket> awaited_by_host(EventRef ref) const;
  Wait wait_of_stream(std::uint32_t lane) const;

  bool is_stream(std::uint32_t lane) const { return run_.lanes[lane].is_stream(); }
  // Most scenarios have no stream at all, and then no event has to be asked.
  bool goes_to_stream(const Event& event) const { return has_streams_ && is_enqueued(event); }
  std::int32_t rank_of(std::uint32_t lane) const { return run_.lanes[lane].rank; }
  std::uint32_t events_of(std::uint32_t lane) const;  // how many a thread's lane has
  EventRef event_at(std::uint32_t lane) const;        // of a thread that is not at its end
  bool is_last(EventRef ref) const { return ref.index + 1 == trace(ref.rank).events.size(); }
  RankState& state(std::int32_t rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  const RankState& state(std::int32_t rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  const RankTrace& trace(std::int32_t rank) const { return scenario_.ranks[static_cast<std::size_t>(rank)]; }
  std::int32_t global(std::int32_t comm, std::int32_t member) const {
    return run_.gatherings.ranks_of(comm)[static_cast<std::size_t>(member)];
  }

  const Scenario& scenario_;
  Assumptions assumptions_;
  const std::vector<std::uint32_t>& script_;
  Run run_;
  Mail mail_;
  Partitions partitions_;
  Windows windows_;
  Rivals rivals_;
  Handovers handovers_;
  std::vector<std::uint32_t> held_back_;  // lanes at a call that others of their rank compete with
  std::vector<LaneState> lanes_;
  std::vector<RankState> ranks_;
  std::vector<std::vector<std::uint32_t>> lanes_of_;  // by rank
  std::deque<std::uint32_t> queue_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t>
      occupied_;                                                           // (rank, device): the lane whose kernel runs
  std::vector<std::uint32_t> ready_launches_;                              // lanes whose launch waits for its device
  std::unordered_map<std::uint64_t, std::vector<std::int32_t>> watchers_;  // by gathering and member: see watch
  std::vector<Alternative> sleeping_;  // explored before, and nothing has happened that could change them
  std::int32_t in_finalize_ = 0;
  // Calls that the record shows cancelling a request, by rank and request.
  std::map<std::pair<std::int32_t, std::uint32_t>, std::uint32_t> cancelled_;
  std::vector<bool> unmodelled_;  // by operation
  bool has_streams_ = false;
};

}  // namespace petri::model

// One execution of a scenario under stated assumptions: who gets how far, who waits for what, and what met what.
//
// The model takes the record for the program: each lane performs its events in program order. Everything that is
// certain happens at once; wildcard receives and contended locks are resolved only when nothing else can move, as the
// record shows it or by a choice. So a run is exact for its choices, and linear in the number of events.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "harness/model/assumptions.hpp"
#include "harness/model/gatherings.hpp"
#include "harness/model/lanes.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::model {

// One thing that a blocked lane waits for.
struct Atom {
  enum Kind : std::uint8_t {
    gathering,  // the members of a gathering that have not arrived; never satisfied when it is conflicted
    message,    // a message from `peer`, or from anybody in `comm` (kAny)
    receiver,   // a receive by `peer`
    finalize,   // all other ranks in finalize
    leader,     // the other side of an intercomm_create, whose leader is `peer`
    partition,  // the marking of further partitions by `peer`
    epoch,      // the post (of a start or complete) or the complete (of a wait) by `peer`
    lock,       // the unlock by `peer`, which holds a lock that excludes this one
    stream,     // what another lane of the same rank, a stream or a thread, has still to perform
  };
  Kind kind = gathering;
  std::uint32_t number = 0;  // of the gathering, or of the other lane
  std::int32_t comm = 0;
  std::int32_t peer = kAny;  // global rank
  std::int32_t tag = 0;
  EventRef posted;  // the event that began it: for a wait, the call that made the request
};

// Each blocked lane has one; a rank whose threads or streams wait for different things has several.
struct Wait {
  std::int32_t rank = 0;
  std::uint32_t index = 0;  // of the event; the number of events stands for an implied finalize
  std::uint32_t lane = 0;
  bool any = false;    // one of the atoms is enough
  bool polls = false;  // a polling loop at the end of a record, taken for a wait
  std::vector<Atom> atoms;
};

struct Message {
  EventRef send, recv;
};

// A wildcard receive, with every message that it might have taken when it took one.
struct Wildcard {
  EventRef recv;
  std::vector<EventRef> candidates;
  std::size_t chosen = 0;
};

// A free decision: which wildcard takes which of its candidates, or who is granted a lock. `alternatives` ways, of
// which `taken` was; ways that only repeat an order explored before are left out.
struct Choice {
  std::uint32_t taken = 0;
  std::uint32_t alternatives = 1;
};

struct Run {
  explicit Run(const Scenario& scenario) : lanes(lanes_of(scenario)), gatherings(scenario) {}

  std::vector<Lane> lanes;           // where each ended; see lanes.hpp for their order
  std::vector<Standing> standing;    // by rank: running where one lane runs, blocked where one is blocked and none runs
  std::vector<std::uint32_t> index;  // by rank: the event where it stands, of its first lane that is not finished
  std::vector<bool> truncated;       // by rank: a ring buffer lost its first events
  std::vector<Wait> waits;           // of the blocked lanes, by rank and lane
  std::vector<std::int32_t> stuck;   // ranks with a blocked lane that nothing can release, whatever open ranks do
  std::vector<bool> stuck_lanes;     // by lane
  Gatherings gatherings;
  std::deque<Message> messages;
  std::vector<Message> partitioned;       // inits that met and were started on both sides
  std::vector<EventRef> unmatched_sends;  // begun, and taken by no receive
  std::vector<Wildcard> wildcards;
  std::vector<Choice> choices;
  std::vector<EventRef> never_completed;  // nonblocking calls whose request was pending when its rank finished
  std::vector<EventRef> unmodelled;       // first event of each operation that was assumed to return at once
  bool leaned_on_record = false;          // some call was left only because the record says so
  bool repeats = false;  // stopped early, and nothing else of it counts: every way on repeats an order explored before
};

// `script` gives the first decisions; later ones take alternative 0. Deterministic.
Run run(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script = {});

}  // namespace petri::model

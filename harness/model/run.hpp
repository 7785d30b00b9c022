// One execution of a scenario under stated assumptions: who gets how far, who waits for what, and what met what.
//
// The model takes the record for the program: each rank performs its events in program order. Everything that is
// certain happens at once; wildcard receives are resolved only when nothing else can move, by the record's `matched` or
// by a choice. So a run is exact for its choices, and linear in the number of events.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/model/assumptions.hpp"
#include "harness/model/gatherings.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::model {

enum class Standing : std::uint8_t {
  finished,  // has left finalize, or has ended where nobody can wait for it
  blocked,   // cannot leave its event
  running,   // its record ends while it ran on: it may still do anything
  unknown,   // its record is cut or missing: it may have done anything
  dead,      // exited without finalize, aborted, or killed by a signal
};

// One thing that a blocked rank waits for.
struct Atom {
  enum Kind : std::uint8_t {
    gathering,  // the members of a gathering that have not arrived; never satisfied when it is conflicted
    message,    // a message from `peer`, or from anybody in `comm` (kAny)
    receiver,   // a receive by `peer`
    finalize,   // all other ranks in finalize
  };
  Kind kind = gathering;
  std::uint32_t number = 0;  // of the gathering
  std::int32_t comm = 0;
  std::int32_t peer = kAny;  // global rank
  std::int32_t tag = 0;
  EventRef posted;  // the event that began it: for a wait, the call that made the request
};

struct Wait {
  std::int32_t rank = 0;
  std::uint32_t index = 0;  // of the event; the number of events stands for an implied finalize
  bool any = false;         // one of the atoms is enough
  bool polls = false;       // a polling loop at the end of a record, taken for a wait
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

// A free decision between wildcards and their candidates: `alternatives` ways, of which `taken` was.
struct Choice {
  std::uint32_t taken = 0;
  std::uint32_t alternatives = 1;
};

struct Run {
  explicit Run(const Scenario& scenario) : gatherings(scenario) {}

  std::vector<Standing> standing;    // by rank
  std::vector<std::uint32_t> index;  // by rank: the event where it stands
  std::vector<bool> truncated;       // by rank: a ring buffer lost its first events
  std::vector<Wait> waits;           // of the blocked ranks, by rank
  std::vector<std::int32_t> stuck;   // blocked ranks that nothing can release, whatever open ranks do
  Gatherings gatherings;
  std::vector<Message> messages;
  std::vector<EventRef> unmatched_sends;  // begun, and taken by no receive
  std::vector<Wildcard> wildcards;
  std::vector<Choice> choices;
  std::vector<EventRef> never_completed;  // nonblocking calls whose request was pending when its rank finished
  std::vector<EventRef> unmodelled;       // first event of each operation that was assumed to return at once
  bool leaned_on_record = false;          // some call was left only because the record says so
};

// `script` gives the first decisions; later ones take alternative 0. Deterministic.
Run run(const Scenario& scenario, const Assumptions& assumptions, const std::vector<std::uint32_t>& script = {});

}  // namespace petri::model

// Lanes: the sequences of events that are performed in order, side by side.
//
// A rank has a lane for each of its threads, and one for each device stream on which it enqueues operations. The first
// `world` lanes of a run are the ranks' main threads.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri::model {

enum class Standing : std::uint8_t {
  finished,  // has left finalize, or has ended where nobody can wait for it
  blocked,   // cannot leave its event
  running,   // its record ends while it ran on: it may still do anything
  unknown,   // its record is cut or missing: it may have done anything
  dead,      // exited without finalize, aborted, or killed by a signal
};

struct Lane {
  std::int32_t rank = 0;
  std::int32_t thread = 0;  // of a thread's lane
  std::int32_t device = 0;  // of a stream's lane …
  std::string stream;       // … and its name; empty for a thread
  bool whole = false;       // a thread that makes all of the rank's calls: `events` is left out
  // Indices of a thread's events, ascending; of a stream, after a run, those that it has not performed.
  std::vector<std::uint32_t> events;
  Standing standing = Standing::blocked;
  std::uint32_t index = 0;  // of the event where it stands, in the rank's list; the number of events at its end

  bool is_stream() const { return !stream.empty(); }
};

// Is the last event of a thread a call that has begun and not returned?
bool ends_in_a_call(const Scenario& scenario, const Lane& lane);

// The lanes of a scenario: all threads that make calls and all streams that are named.
std::vector<Lane> lanes_of(const Scenario& scenario);

}  // namespace petri::model

// What a run of a scenario came to, as plain data for formats that draw it: when each call is made, what met what.
// Made by whoever knows the rules of matching; nothing here is computed from a scenario alone.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"

namespace petri {

inline constexpr std::int64_t kNever = -1;

// One call, in nanoseconds from the beginning. From `entered` to `began` it waits for others, from `began` to `left` it
// takes part. entered <= began <= left; a call that is never left has no `left`, one that is never made no `entered`.
struct Span {
  std::int64_t entered = kNever, began = kNever, left = kNever;
};

// The calls that are drawn on one line, in their order and without overlap but for those of one launch, which share
// their begin.
struct Track {
  std::int32_t rank = 0;
  // "thread 2", "stream s" or, of a rank that stands in a call, "enqueued behind"; empty: all that the rank does.
  std::string name;
  std::vector<std::uint32_t> events;
};

// An end of an arrow. Those of one number are one arrow, from its earliest end to its latest over all between: each
// begins where the one before has been left, or with it.
struct ArrowEnd {
  EventRef at;
  std::uint64_t number = 0;
};

// Something to look at, and the calls that it is about.
struct Marker {
  std::vector<EventRef> events;
  std::string name, text, evidence;
};

struct Course {
  bool recorded = false;                 // times are recorded ones, moved later where causes demand it
  std::int64_t end = 0;                  // of all that is drawn
  std::vector<std::vector<Span>> spans;  // by rank and event
  std::vector<Track> tracks;             // by rank
  std::vector<ArrowEnd> arrows;          // by rank and event
  std::vector<Marker> markers;
};

}  // namespace petri

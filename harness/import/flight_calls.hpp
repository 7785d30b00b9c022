// One rank's calls out of its Flight Recorder dump.
//
// What an entry means: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp (profiling titles, sequence numbers: one for
// each launch, which members of a coalesced launch share) and ProcessGroupGloo.cpp. Not recorded are the reduction
// operation, the root, the stream, tags, and how an all-to-all divides its elements.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/import/flight_dump.hpp"
#include "harness/trace/event.hpp"

namespace petri {

// A sequence number that no entry states.
inline constexpr std::int32_t kNoPosition = -1;

struct FlightCalls {
  // In program order. `comm` is a place in FlightDump::groups, or their number where an entry names none; `site` is a
  // number of FlightDump::texts. The messages of a coalesced launch are begun together and waited for together, in any
  // order; its collectives are one call.
  std::vector<Event> events;
  std::vector<std::int32_t> positions;  // by event: the group's sequence number of a collective, else kNoPosition
  // By event: how many of its group's numbers launches of messages took before it, as older recorders count them.
  // Shorter where the last ones have none; empty where there are none at all.
  std::vector<std::int32_t> taken;
  std::vector<double> times;          // by event: seconds since the epoch on the rank's clock, NaN where not stated
  std::uint64_t lost = 0;             // entries before the first one that is kept
  std::vector<std::string> backends;  // by group: "nccl", "gloo", empty where no entry tells
  std::vector<std::string> unknown;   // names of messages that are not known: their entries are left out
  std::vector<std::string> foreign;   // and of collectives: only that all members take part is known, as in a barrier
  std::map<std::int32_t, std::uint32_t> local_ids;  // by pg_id: its place in FlightDump::groups
  std::set<std::int32_t> left_over;  // groups, as in `comm`, with members of launches that are over: they are left out
  // By group, as in `comm`: the largest number of a message that an entry states; groups where one states none are not
  // in it.
  std::map<std::int32_t, std::int64_t> last_message;
  std::uint64_t stateless = 0;  // calls in a state that is not known: taken for enqueued, and not over
  std::uint64_t opaque = 0;     // coalesced launches whose members are not recorded: taken for all-gathers
};

FlightCalls calls_of(const FlightDump& dump);

}  // namespace petri

// The sequences in which a course performs calls: threads and streams of each rank. Internal to the course.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/model/run.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli::course {

inline constexpr std::uint32_t kNone = 0xffffffff;

// What is begun together: a call of a thread; on a stream, a call or those of one group on one communicator.
struct Launch {
  std::uint32_t first = 0, count = 1;  // in Line::events
  std::uint32_t launcher = kNone;      // of a stream's: the host's call that puts it there
};

// A place on a stream: all up to it must be over.
struct Ticket {
  std::uint32_t line = kNone;
  std::uint32_t launches = 0;
};

struct Line {
  std::int32_t rank = 0;
  std::string name;                   // as Track has it
  std::vector<std::uint32_t> events;  // of a thread, also those that it puts on streams
  std::vector<Launch> launches;       // of a stream; a thread makes one call after the other
  bool stream = false;
  // The event in which a thread stands at the end, the rank's number of events where in none; of a stream, those that
  // are not performed.
  std::uint32_t stands = kNone;
  std::vector<std::uint32_t> unperformed;
};

struct Lines {
  std::vector<Line> all;  // by rank, threads before streams
  // What device calls wait for, sorted by event.
  struct Awaited {
    EventRef by;
    Ticket ticket;
  };
  std::vector<Awaited> awaited;
};

Lines lines_of(const Scenario& scenario, const model::Run& run);

}  // namespace petri::cli::course

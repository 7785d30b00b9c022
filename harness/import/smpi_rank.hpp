// The events of one rank of a time-independent trace.
//
// Requests have no numbers there: `wait` and `test` name source, destination and tag of a message, `waitall` at most
// how many. So a request is the oldest open one that fits.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/import/smpi_line.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// What concerns all ranks.
struct SmpiTrace {
  std::int32_t world = 0;
  bool has_tags = true;  // false: written before SimGrid 3.20, `peer count` and `wait` without arguments
  ElementType type = ElementType::float64;  // of what names none
  std::map<std::string, std::uint64_t> left_out;
  std::uint64_t guessed_waits = 0;  // for some of the open requests: for which is not said
};

class SmpiRank {
 public:
  SmpiRank(SmpiTrace& trace, SymbolTable& symbols, std::int32_t rank) : trace_(trace), symbols_(symbols), rank_(rank) {}

  // Returns what is wrong with the line and what was expected; empty where nothing is.
  std::string take(const SmpiLine& line);
  // No line follows; `cut`: in the middle of one.
  void finish(bool cut);

  std::vector<Event> events;
  RankEnd end;

 private:
  struct Open {
    std::uint32_t number = 0;
    std::int32_t source = kUnset, destination = kUnset, tag = kUnset;
    bool collective = false;
    std::optional<std::size_t> tested;  // the event of its last test
  };
  class Arguments;

  std::string take(const SmpiAction& action, Arguments& arguments);
  void message(Event& event, Arguments& arguments);
  void both(Event& event, Arguments& arguments);
  void complete(Event& event, Arguments& arguments);
  void complete_some(Event& event, Arguments& arguments);
  void collective(Event& event, SmpiShape shape, Arguments& arguments);
  void counts_by_rank(Event& event, SmpiShape shape, Arguments& arguments);
  std::deque<Open>::iterator find(Arguments& arguments);
  void push(Event event);
  void open(Event& event, Open request);

  SmpiTrace& trace_;
  SymbolTable& symbols_;
  std::int32_t rank_;
  std::deque<Open> open_;
  std::uint32_t next_ = 0;
  std::uint32_t site_ = kNoSymbol;
  bool finalized_ = false;
  bool left_last_ = false;  // the last event's call has returned
};

}  // namespace petri

// What is read of a file in blocks of lines, by several threads that take turns (in_turns.hpp). Internal to
// harness/trace.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/line_source.hpp"
#include "harness/trace/read_parts.hpp"

namespace petri {

// All lines behind the header, each in its turn.
class LinesInOrder {
 public:
  LinesInOrder(const std::string& file, Scenario& scenario) : scenario_(scenario), lines_(scenario), line_(file) {}

  // Reads a line with care. One that was not terminated is the last one.
  void read(std::string_view text, std::size_t number, bool terminated);
  // Adds an event that has been parsed. False where something is wrong with it: then the line is to be read with care.
  bool add(EventParser& parser, ReadEvent& read, const LineText& line);
  // There are no more lines: `number` was the last one.
  void finish(std::size_t number);

 private:
  void read_loaded();

  Scenario& scenario_;
  LineReader lines_;
  JsonLine line_;
  bool whole_ = false;  // the end line has been read
};

// Most lines are events, and nothing is wrong with them: those are parsed beside other blocks. All others, and those
// with which anything seems wrong, are read with care in their turn, since what a message says must not depend on
// haste.
class BlockReader {
 public:
  BlockReader(LineSource& source, LinesInOrder& all) : source_(&source), all_(&all), line_(source.name()) {}

  bool take() { return source_->next(block_); }
  void work();
  void deliver();

 private:
  struct Line {
    std::string_view text;
    bool parsed;  // its event is the next one
  };
  bool parse(std::string_view text, ReadEvent& event);

  LineSource* source_;
  LinesInOrder* all_;
  LineBlock block_;
  std::vector<Line> lines_;
  std::vector<ReadEvent> events_;  // their room is used again
  EventParser parser_;
  JsonLine line_;
};

// Counts the events of each rank in `events`, as far as lines show at first sight whose they are.
class EventCounter {
 public:
  EventCounter(LineSource& source, std::vector<std::size_t>& events) : source_(&source), events_(&events) {}

  bool take() { return source_->next(block_); }
  void work();
  void deliver();

 private:
  LineSource* source_;
  std::vector<std::size_t>* events_;
  LineBlock block_;
  std::vector<std::size_t> ranks_;
};

}  // namespace petri

// The kinds of lines that a scenario file is made of. Internal to harness/trace.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/event_parser.hpp"
#include "harness/trace/json_line.hpp"
#include "harness/trace/read_history.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// The header line: a scenario with its world and nothing in it.
Scenario read_header(JsonLine& line);

// Every key of an event stands with an operation that has it, and those that the operation needs are there.
void check_keys(const ReadEvent& read, const LineText& line);

// What an event's arguments say of each other, and of the communicators known so far.
void check_arguments(const ReadEvent& read, const Scenario& scenario, const LineText& line);

// What reading the lines after the header has to remember.
class LineReader {
 public:
  explicit LineReader(Scenario& scenario);

  void communicator(JsonLine& line);
  void event(JsonLine& line);
  // An event that `parser` has read from this line.
  void add(EventParser& parser, ReadEvent& read, const LineText& line);
  void rank_end(JsonLine& line);
  void file_end(JsonLine& line) const;
  // All lines have been read: what could be judged only with the ends of the ranks.
  void finish() const { history_.finish(scenario_); }

  // Something beyond the header has been read.
  bool any() const { return any_; }
  // Lines of ranks have been read: no communicator may follow.
  bool in_events() const { return in_events_; }

 private:
  friend class EventAdder;
  bool is_member(std::int32_t comm, std::int32_t rank);
  std::vector<std::pair<std::int32_t, std::int32_t>> read_joined(JsonValue value) const;

  Scenario& scenario_;
  std::vector<std::vector<std::int32_t>> members_;  // of each communicator but the world, ascending
  std::vector<bool> ended_;                         // by rank
  // The communicator over which a window or file was made, by its rank and its name ("win w", "file f").
  std::map<std::pair<std::int32_t, std::string>, std::int32_t> made_over_;
  ReadHistory history_;
  EventParser parser_;
  ReadEvent read_;
  std::uint64_t events_ = 0;
  bool any_ = false;
  bool in_events_ = false;
};

[[noreturn]] void fail_unknown_name(const JsonValue& value, std::string_view text, const char* what,
                                    std::span<const std::string_view> names);

// The value of an enumeration that `value` spells, or an error that names the nearest of `names`.
template <class Find>
auto read_name(JsonValue& value, Find&& find, const char* what, const std::vector<std::string_view>& names) {
  const std::string_view text = value.text();
  const auto found = find(text);
  if (!found) fail_unknown_name(value, text, what, names);
  return *found;
}

}  // namespace petri

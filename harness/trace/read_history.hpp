// What earlier events of a file made, and whether later ones name it. Internal to harness/trace.
#pragma once

#include <array>
#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/trace/line_text.hpp"
#include "harness/trace/op_keys.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// An event as it stands on its line, and where on the line the value of each of its keys is.
struct ReadEvent {
  Event event;  // yet without a communicator; its site is one of the parser's names
  std::int32_t rank = 0;
  std::uint32_t comm = 0, made = 0;  // parser's names of its communicator and of one that it makes, where it says so
  double time = 0;
  KeySet present;
  const char* line = nullptr;
  std::array<std::uint32_t, kKeyCount> places;  // from the start of the line; only of the keys that are there

  bool has(Key key) const { return present.test(static_cast<std::size_t>(key)); }
  const char* at(Key key) const { return has(key) ? line + places[static_cast<std::size_t>(key)] : nullptr; }
};

// Requests, windows and files are made by a rank before it names them. Whether its record goes back to its start is
// known when it has ended: until then, the first name of each rank that was not made is kept as a doubt.
//
// A window or file that nobody makes may be there when the scenario begins; but one whose name is nearly that of one
// that its rank makes is mistyped.
class ReadHistory {
 public:
  // The event is the `index`-th of its rank.
  void add(const ReadEvent& read, std::uint32_t index, const LineText& line);
  // Throws the first doubt about a rank whose record is complete from its start; and where members of a communicator
  // give two names to what they make together.
  void finish(const Scenario& scenario) const;

 private:
  struct Place {
    std::size_t line = 0, column = 0;
  };

  struct Doubt {
    std::int32_t rank = 0;
    std::string name;  // of a window or file; empty for a request
    InputError error;
  };

  void doubt(const ReadEvent& read, std::string name, InputError error);
  void check_requests(const ReadEvent& read, const LineText& line);
  void check_made(const ReadEvent& read, Key key, const std::string& name, const LineText& line);
  void check_names(const Scenario& scenario) const;
  [[noreturn]] void fail_two_names(const Scenario& scenario, EventRef first, EventRef second) const;

  std::string file_;
  // By rank: the numbers of its requests. Most follow each other, so that few intervals hold them.
  std::unordered_map<std::int32_t, boost::icl::interval_set<std::uint32_t>> requests_;
  std::unordered_map<std::int32_t, std::uint32_t> last_request_;
  std::map<std::pair<std::int32_t, Key>, std::vector<std::string>> made_;  // windows and files of a rank
  std::unordered_set<std::string> made_by_any_;
  std::map<EventRef, Place> names_;  // where an event names what it makes
  std::unordered_set<std::int32_t> doubted_;
  std::vector<Doubt> doubts_;  // at most one of a rank
};

}  // namespace petri

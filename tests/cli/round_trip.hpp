// Is what a recorder saw of a replay what the scenario says? Names and numbers of communicators, requests, windows and
// files are the recorder's own: there must be one of them for each of the scenario's, the same everywhere.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/plan/account.hpp"

namespace petri::cli::testing {

struct Difference {
  EventRef at;
  Op op = Op::barrier;
  std::string what;  // the argument
  std::string said, seen;
};

class RoundTrip {
 public:
  RoundTrip(const Scenario& scenario, const Scenario& recording, const ReplayState& state);

  const std::vector<Difference>& differences() const { return differences_; }
  int compared() const { return compared_; }  // events

 private:
  void compare_rank(std::size_t rank);
  void compare(const Event& said, const Event& seen);
  void compare_messages(const Event& said, const Event& seen);
  void compare_requests(const Event& said, const Event& seen);
  void compare_creation(const Event& said, const Event& seen);
  void compare_one_sided(const Event& said, const Event& seen);
  void follow_requests(const Event& said, const Event& seen);
  void comm(const char* what, std::int32_t said, std::int32_t seen);
  void name(const char* what, const std::string& said, const std::string& seen,
            std::map<std::string, std::string>& names);
  template <class Value>
  void same(const char* what, const Value& said, const Value& seen);
  void differ(const char* what, std::string said, std::string seen);

  const Scenario& scenario_;
  const Scenario& recording_;
  const ReplayState& state_;
  std::vector<Difference> differences_;
  int compared_ = 0;
  EventRef at_;
  Op op_ = Op::barrier;
  std::map<std::int32_t, std::int32_t> comms_, comms_back_;
  std::map<std::string, std::string> windows_, files_;
  std::map<std::uint32_t, std::uint32_t> requests_;  // of the rank at hand: the recorder's numbers to the scenario's
  std::set<std::uint32_t> active_;                   // the scenario's numbers
};

}  // namespace petri::cli::testing

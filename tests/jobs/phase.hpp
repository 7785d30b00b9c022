// A stretch of program that is put into a job: directly before the meeting of all its ranks in a step, where nothing of
// the job is pending. What ranks do there is a legal job as long as they do it legally among themselves.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/jobs/calls.hpp"
#include "tests/jobs/job.hpp"

namespace petri::jobs {

// Where a fault is planted, and by whom.
struct Place {
  std::int32_t rank = 0;
  std::int32_t step = 0;
  // Among the members of the rank's smallest communicator of at least three ranks, while the others are on the way to
  // the meeting; otherwise among all ranks. A job that has no such communicator splits itself in halves first.
  bool in_group = false;
};

// The job has no place for a fault: no such call in that step, or too few ranks for a group.
struct NoPlace : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Phase {
 public:
  // What is left of the job behind the phase.
  enum class Rest : std::uint8_t {
    follows,   // all of it
    closed,    // nothing but finalize: the phase is the end of the program
    recorded,  // nothing: a watchdog ended the job while each rank was in the last call that it made here
  };

  Phase(Job& job, Place place);

  std::int32_t culprit() const { return place_.rank; }
  std::int32_t step() const { return place_.step; }
  // Where in the culprit's calls the meeting stands.
  std::uint32_t meeting() const { return meeting_of(job_, culprit(), step()); }
  // The communicator that the phase is about, its members in order, and the place of one among them.
  std::int32_t comm() const { return comm_; }
  const std::vector<std::int32_t>& members() const { return members_; }
  std::int32_t group_rank(std::int32_t rank) const;
  // The n-th member after the culprit, n > 0: never the culprit itself where n is less than the number of members.
  std::int32_t neighbour(std::int32_t n) const;
  Scenario& scenario() { return job_.scenario; }

  // Calls of a rank, at a call site of the phase ("save.cpp:41").
  Phase& add(std::int32_t rank, std::string_view site, Event event);
  Phase& add_to_all(std::string_view site, const Event& event);
  Phase& add_to_others(std::string_view site, const Event& event);  // all but the culprit
  Phase& as_culprit(std::string_view site, Event event) { return add(culprit(), site, std::move(event)); }

  // A communicator of its own with the same members, by comm_dup.
  std::int32_t duplicate(std::string_view name, std::string_view site);
  // One of some ranks only, by comm_create_group.
  std::int32_t group(std::string_view name, std::vector<std::int32_t> ranks, std::string_view site);

  // From here on the rank is gone: what it would do after the phase goes, too.
  void ends(std::int32_t rank, EndKind how);
  void rest(Rest rest) { rest_ = rest; }
  void observed(Verdict verdict) { job_.scenario.header.observed = Outcome{verdict, {}, false}; }

  // Puts it into the job. Once, at the end. A phase without calls leaves the job as it is, whatever was done to its
  // own.
  void plant();

 private:
  bool is_gone(std::int32_t rank) const;
  void enter_group();
  void split_in_halves();
  void splice(std::int32_t rank);
  void number_calls();

  Job& job_;
  Place place_;
  std::int32_t comm_;
  std::vector<std::int32_t> members_;
  Rest rest_ = Rest::follows;
  std::vector<std::vector<Event>> calls_;  // by rank
  std::vector<std::pair<std::int32_t, EndKind>> ended_;
};

}  // namespace petri::jobs

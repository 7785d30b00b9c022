// The schedule under construction: events go to the end of their rank, requests are completed later.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/random_schedule.hpp"

namespace petri::test {

class Builder {
 public:
  Builder(std::uint64_t seed, std::int32_t least_ranks);

  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(rng_); }
  bool one_in(int chances) { return below(chances) == 0; }
  template <std::size_t N>
  Op one_of(const Op (&ops)[N]) {
    return ops[below(static_cast<int>(N))];
  }

  Scenario& scenario() { return result_.scenario; }
  std::int32_t world() const { return result_.scenario.world(); }
  std::vector<std::int32_t> members(std::int32_t comm) const;
  std::int32_t declare(std::string name, std::vector<std::int32_t> ranks, std::vector<std::int32_t> remote = {});
  std::int32_t any_comm();  // an intracommunicator with at least two members, not freed
  void freed(std::int32_t comm) { freed_.insert(comm); }
  std::int32_t new_tag() { return ++tags_; }
  std::uint32_t new_request() { return ++requests_; }
  std::int64_t new_place() { return 4 * places_++; }  // of an int32 in a window, that nobody else accesses

  static Event call(Op op, std::int32_t comm = 0);
  void emit(std::int32_t rank, Event event);
  // Emits a call; gives it a request where its form needs one, to be completed later.
  std::uint32_t begin(std::int32_t rank, Event event);
  // Initializes a persistent call, starts it once or twice, and completes it each time, now or later.
  std::uint32_t initialize(std::int32_t rank, Event event);
  void start(std::int32_t rank, std::uint32_t request, bool wait_now = false);
  void will_complete(std::int32_t rank, std::uint32_t request);
  // Completes what is open on a rank, in one of MPI's ways.
  void complete(std::int32_t rank);
  void complete_all();

  void not_legal() { result_.legal = false; }
  void on_thread(std::int32_t thread) { thread_ = thread; }
  RandomSchedule& result() { return result_; }

 private:
  void wait_for(std::int32_t rank, Op op, const std::vector<std::uint32_t>& requests);

  std::mt19937_64 rng_;
  RandomSchedule result_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> open_;  // by rank and thread
  std::set<std::int32_t> freed_;
  std::int32_t tags_ = 0, thread_ = 0;
  std::uint32_t requests_ = 0;
  std::int64_t places_ = 0;
};

// One action of each kind: what all its participants do.
void add_message(Builder& builder, std::int32_t comm, bool wildcards);
void add_exchange(Builder& builder);
void add_probed_message(Builder& builder);
void add_persistent_message(Builder& builder);
void add_cancel(Builder& builder);
void add_collective(Builder& builder, std::int32_t comm);
void add_persistent_collective(Builder& builder);
std::int32_t add_creation(Builder& builder);
void add_intercommunicator(Builder& builder);
void add_neighbours(Builder& builder);
void add_fences(Builder& builder);
void add_exposures(Builder& builder);
void add_locks(Builder& builder);
void add_files(Builder& builder);
void add_partitions(Builder& builder);
void add_streams(Builder& builder);

// Changes one thing at one place; false where there was nothing to change.
bool mutate(Builder& builder);

}  // namespace petri::test

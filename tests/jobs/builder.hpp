// The job under construction: events go to the end of their rank, with step, microbatch and call site as a recorder
// notes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/jobs/calls.hpp"
#include "tests/jobs/job.hpp"

namespace petri::jobs {

class JobBuilder {
 public:
  // `file` is the source file of all call sites.
  JobBuilder(std::string_view name, std::string_view file, const JobSize& size);

  std::int32_t world() const { return job_.scenario.world(); }

  // Where the next events of a rank belong; kUnset for none.
  void in_step(std::int32_t step) { step_ = step, microbatch_ = kUnset; }
  void in_microbatch(std::int32_t microbatch) { microbatch_ = microbatch; }

  void add(std::int32_t rank, int line, Event event);
  void add_to_all(int line, const Event& event);
  // Nonblocking calls get a request number of their rank.
  std::uint32_t begin(std::int32_t rank, int line, Event event);
  void wait(std::int32_t rank, int line, std::uint32_t request);

  // comm_split of the world into groups that are all of its ranks together, one communicator for each. The result says
  // for each rank which one is its own.
  std::vector<std::int32_t> split(std::string_view name, int line,
                                  const std::vector<std::vector<std::int32_t>>& groups);
  std::int32_t declare(std::string name, std::vector<std::int32_t> ranks, std::int32_t parent = 0);

  // All meet: one float32 on the wide communicator (Job::wide).
  void meet(int line);
  void set_wide(std::int32_t comm) { job_.wide = comm; }

  // Everybody finalizes.
  Job finish(int line);

 private:
  Job job_;
  std::string file_;
  std::int32_t step_ = kUnset, microbatch_ = kUnset;
  std::vector<std::uint32_t> requests_;  // next number, by rank
};

// {0 … world-1} in runs of `length` with `stride` between members: the usual layout of parallel groups. Needs
// length * stride to divide world.
std::vector<std::vector<std::int32_t>> strided_groups(std::int32_t world, std::int32_t length, std::int32_t stride);

// The largest of `choices` that divides `number`, or 1.
std::int32_t largest_divisor(std::int32_t number, std::initializer_list<std::int32_t> choices);

// A number below `limit` that depends on its arguments alone.
std::uint64_t hashed(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t limit);

}  // namespace petri::jobs

// What of a comparison can be measured by real jobs on this host, and how many of those it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/side_by_side.hpp"
#include "kernels/order/openmpi_parameters.hpp"

namespace petri::compare {

inline constexpr std::int32_t kMostProcesses = 64;  // each is a process of this host
// Of what all ranks contribute, which is in files, and about three times in memory while it is reduced.
inline constexpr std::uint64_t kMostContributedBytes = std::uint64_t{4} << 30;

// Why a configuration is predicted only, in words; nothing where a job can measure it: an order of Open MPI's by the
// library, the kernel reproducible by petri::reproducible_allreduce. Whether the library that is installed is the
// order's version is for the job to say.
std::optional<std::string> reason_against_measuring(const Configuration& configuration, ReduceOp op,
                                                    std::uint64_t count);

// One job measures all that needs the same parameters of the library.
struct MeasuringJob {
  order::openmpi::Parameters parameters;
  std::vector<std::size_t> places;  // in Reductions::configurations, ascending
  bool operator==(const MeasuringJob&) const = default;
};

struct MeasuringPlan {
  std::vector<MeasuringJob> jobs;
  std::map<std::size_t, std::string> not_of;  // the reasons, by place
};
// Throws std::invalid_argument for a configuration with a problem (problem_of), and order::TooLarge.
MeasuringPlan plan_measurements(const Reductions& reductions);

// Puts what was measured beside what predicts it: a configuration right behind each that has a measurement. `of` and
// `not_of` come with places in `reductions` as it was, and leave with those in what it becomes; a measurement's
// `prediction` is filled in.
void add_measurements(Measurements measurements, Reductions& reductions);

}  // namespace petri::compare

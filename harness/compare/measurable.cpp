#include "harness/compare/measurable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "kernels/order/openmpi_names.hpp"

namespace petri::compare {
namespace {

namespace openmpi = order::openmpi;

constexpr std::string_view kNotLive = "only Open MPI's orders and the kernel reproducible are measured";

std::optional<openmpi::Invocation> invocation_of(const Configuration& configuration) {
  const auto slash = configuration.order.find('/');
  if (!configuration.order.starts_with("openmpi-") || slash == std::string::npos) return std::nullopt;
  return openmpi::invocation_named(std::string_view(configuration.order).substr(slash + 1));
}

bool is_half(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

std::optional<std::string> reason_against_kernel(const Configuration& c) {
  if (*c.kernel != kernels::SumKernel::reproducible) return std::string(kNotLive);
  if (c.type == ElementType::float32 || c.type == ElementType::float64) return std::nullopt;
  return "petri::reproducible_allreduce sums float32 and float64";
}

}  // namespace

std::optional<std::string> reason_against_measuring(const Configuration& c, ReduceOp op, std::uint64_t count) {
  if (c.kernel) {
    if (auto reason = reason_against_kernel(c)) return reason;
  } else {
    const auto how = invocation_of(c);
    if (!how) return std::string(kNotLive);
    if (!how->commutative && !is_half(c.type))
      return fmt::format("MPI's own {} of {} commutes", petri::name_of(op), petri::name_of(c.type));
    if (std::set<std::int32_t>(c.hosts.begin(), c.hosts.end()).size() > 1)
      return "its ranks are on several hosts, and those of a job here are on one";
  }
  if (c.ranks > kMostProcesses)
    return fmt::format("{} ranks would be as many processes, and no more than {} are started", c.ranks, kMostProcesses);
  if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()) / size_of(c.type))
    return "vectors of 2 GiB and more are not measured";
  if (count * size_of(c.type) > kMostContributedBytes / static_cast<std::uint64_t>(c.ranks))
    return fmt::format("all ranks together would contribute more than {} GiB", kMostContributedBytes >> 30);
  return std::nullopt;
}

MeasuringPlan plan_measurements(const Reductions& reductions) {
  MeasuringPlan plan;
  std::vector<std::size_t> anywhere;  // their bits are the same whatever the parameters
  std::map<openmpi::Parameters, std::vector<std::size_t>> jobs;
  for (std::size_t place = 0; place < reductions.configurations.size(); ++place) {
    const Configuration& c = reductions.configurations[place];
    if (const auto problem = problem_of(c, reductions.op, reductions.count)) throw std::invalid_argument(*problem);
    if (auto reason = reason_against_measuring(c, reductions.op, reductions.count))
      plan.not_of[place] = *std::move(reason);
    else if (c.kernel)
      anywhere.push_back(place);
    else
      jobs[openmpi::parameters_of(*invocation_of(c))].push_back(place);
  }
  if (!anywhere.empty()) {
    auto& places = jobs.empty() ? jobs[{}] : jobs.begin()->second;
    places.insert(places.end(), anywhere.begin(), anywhere.end());
    std::sort(places.begin(), places.end());
  }
  for (auto& [parameters, places] : jobs) plan.jobs.push_back({parameters, std::move(places)});
  return plan;
}

std::size_t distinct_results(const Measurement& measurement) {
  std::set<std::size_t> distinct;
  for (const auto& run : measurement.runs) distinct.insert(run.front());
  return distinct.size();
}

void add_measurements(Measurements measurements, Reductions& reductions) {
  std::vector<Configuration> predicted = std::move(reductions.configurations);
  reductions.configurations.clear();
  Measurements& added = reductions.measured.emplace();
  added.library = std::move(measurements.library);
  added.complete = measurements.complete;
  added.why_incomplete = std::move(measurements.why_incomplete);
  for (std::size_t place = 0; place < predicted.size(); ++place) {
    const std::size_t at = reductions.configurations.size();
    reductions.configurations.push_back(predicted[place]);
    if (const auto reason = measurements.not_of.find(place); reason != measurements.not_of.end())
      added.not_of[at] = std::move(reason->second);
    const auto measurement = measurements.of.find(place);
    if (measurement == measurements.of.end()) continue;
    measurement->second.prediction = at;
    added.of[at + 1] = std::move(measurement->second);
    reductions.configurations.push_back(std::move(predicted[place]));
    reductions.configurations.back().measured = true;
  }
}

}  // namespace petri::compare

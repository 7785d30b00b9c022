#include "tests/jobs/cell.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "harness/diagnose/failure_events.hpp"
#include "reducers/engine.hpp"
#include "tests/support/model_oracle.hpp"

namespace petri::jobs {
namespace {

class Watch {
 public:
  // Seconds since the last lap.
  double lap() {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - from_).count();
    from_ = now;
    return seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point from_ = Clock::now();
};

void judge_diagnosis(const Fault& fault, const PlantedJob& job, const Diagnosis& diagnosis, Measured& result) {
  result.signature = diagnosis.signature;
  result.verdict_right = diagnosis.verdict == fault.verdict;
  if (!result.verdict_right)
    result.complaints.push_back(
        fmt::format("verdict {} instead of {} ({})", name_of(diagnosis.verdict), name_of(fault.verdict),
                    diagnosis.findings.empty() ? "nothing wrong" : diagnosis.findings.front().text));
  const std::vector<std::int32_t> named =
      diagnosis.findings.empty() ? std::vector<std::int32_t>{} : diagnosis.findings.front().culprits;
  result.culprits_right = named == job.culprits || job.culprits.empty();
  if (!result.culprits_right)
    result.complaints.push_back(
        fmt::format("culprits {} instead of {} ({})", fmt::join(named, ","), fmt::join(job.culprits, ","),
                    diagnosis.findings.empty() ? "nothing wrong" : diagnosis.findings.front().text));
}

void shrink_it(const Scenario& minimum, const PlantedJob& job, const Diagnosis& diagnosis, Measured& result) {
  result.shrinks = true;
  reduce::ShrinkOptions options;
  options.failure = failure_events(job.scenario, diagnosis);
  const reduce::ShrinkResult shrunk =
      reduce::shrink(job.scenario, test::fails_as(failure_of(job.scenario, diagnosis)), options);
  result.candidates = shrunk.asked;
  result.ranks_left = static_cast<std::uint64_t>(shrunk.scenario.world());
  result.events_left = shrunk.scenario.event_count();
  const bool same = diagnose(minimum).signature == diagnosis.signature;
  if (!same) result.complaints.push_back(fmt::format("not the known minimum's failure: {}", diagnosis.signature));
  const auto ranks = static_cast<std::uint64_t>(minimum.world());
  result.minimum_reached =
      same && shrunk.reproduced && result.ranks_left == ranks && result.events_left == minimum.event_count();
  if (same && !result.minimum_reached)
    result.complaints.push_back(fmt::format("shrunk to {} ranks, {} events; the minimum is {}, {}", result.ranks_left,
                                            result.events_left, ranks, minimum.event_count()));
}

}  // namespace

Measured measure(const Cell& cell) {
  Measured result;
  Watch watch;
  PlantedJob job;
  try {
    job = plant(*cell.fault, *cell.variant, *cell.generator, cell.size, cell.place);
  } catch (const NoPlace& error) {
    result.no_place = error.what();
    return result;
  }
  result.events = job.scenario.event_count();
  result.generate_s = watch.lap();
  const Diagnosis diagnosis = diagnose(job.scenario);
  result.diagnose_s = watch.lap();
  judge_diagnosis(*cell.fault, job, diagnosis, result);
  if (cell.fault->minimum.empty())
    result.minimum_reached = true;
  else if (!diagnosis.findings.empty())
    shrink_it(minimum_of(*cell.fault, *cell.variant), job, diagnosis, result);
  result.shrink_s = watch.lap();
  return result;
}

}  // namespace petri::jobs

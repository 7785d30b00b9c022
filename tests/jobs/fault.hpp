// Faults of the field that can be planted into any job, and what is known of each by reasoning, never by asking Petri.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "tests/jobs/phase.hpp"

namespace petri::jobs {

// The ways in which each fault is planted: among all ranks or in a group, as the program or as a recording of it
// (recording.hpp); where a record says least about what is usual, with neither call sites nor steps, or in the only
// step there is; by the first rank in the first step, or by the last one in the last.
struct Variant {
  enum class Where : std::uint8_t { inside, first, last };
  std::string_view name;
  bool in_group = false, recorded = false;
  bool without_sites = false;  // nor steps
  bool one_step = false;
  Where where = Where::inside;
};
struct Fault {
  std::string_view name;  // the field case, and its variant where there are several
  std::string_view what;  // its structure
  Verdict verdict;
  // Plants it and answers who began it, in ascending order; nobody where nothing is wrong or the fault is not one of
  // the schedule.
  std::vector<std::int32_t> (*plant)(Phase&);
  // The smallest schedule that fails in the same way, by the calls of its ranks (tests/support/script.hpp), with the
  // communicators that it declares. Empty where there is nothing to shrink.
  std::vector<std::string> minimum = {};
  std::string_view comms = {};
  // Where a recording proves more than the program, since it says that a rank came no further.
  std::vector<std::string> recorded_minimum = {};
  // In the calls of the job itself: which jobs make such calls, by name. What is left then depends on the job, so no
  // minimum is stated. Empty: the fault is added to any job.
  std::vector<std::string_view> own_calls_of = {};
  // Nothing but the call sites shows it.
  bool by_sites = false;

  bool goes_into(const Generator& generator, const Variant& variant) const;
};

const std::vector<Fault>& faults();

// The job with the fault in it.
struct PlantedJob {
  Scenario scenario;
  std::vector<std::int32_t> culprits;
};
PlantedJob plant(const Fault& fault, const Generator& generator, const JobSize& size, Place place);

const std::vector<Variant>& variants();
PlantedJob plant(const Fault& fault, const Variant& variant, const Generator& generator, const JobSize& size,
                 Place place);

// Where faults are planted if nobody says: inside of the job, not on the first rank or in the first step, and next to
// other groups, or where the variant wants them.
Place place_of(const Variant& variant, const JobSize& size);

Scenario minimum_of(const Fault& fault, const Variant& variant);

}  // namespace petri::jobs

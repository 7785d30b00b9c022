// How a job ran and ended, for people and for programs: shared by `record` and `replay`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/launch/run_job.hpp"

namespace petri::cli {

// "status 3", "signal 9 (Killed)".
std::string describe(const CommandEnd& end);

// One line: "the job hung: stopped 3.2 s after its start, 0.24 s after its last progress; proved from the ranks'
// positions".
std::string describe_run(const JobResult& job);

// {"end","proved","assumes_polls","seconds","quiet_seconds","deadlock_tests","testing_seconds","status","signal"}
nlohmann::ordered_json run_as_json(const JobResult& job);

}  // namespace petri::cli

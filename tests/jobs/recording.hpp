// What a recorder leaves of a job: how far each rank came, and in which call it was when a watchdog ended the job.
#pragma once

#include "harness/trace/scenario.hpp"

namespace petri::jobs {

// The record of a run of `program` in which nothing is buffered. A job that hangs was ended from outside; whatever its
// ranks would have done later is not known. A program that returns is recorded whole, each call completed.
Scenario recorded(Scenario program);

}  // namespace petri::jobs

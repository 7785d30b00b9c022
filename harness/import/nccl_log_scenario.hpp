// The job that NCCL logs tell of as a scenario. Internal to harness/import.
#pragma once

#include "harness/import/foreign.hpp"
#include "harness/import/nccl_log_job.hpp"
#include "harness/import/nccl_log_ranks.hpp"

namespace petri {

// Without the name of the job. A rank without a log ends `missing`, one that gave back all of its communicators
// `finalized`, one whose calls are not known from some line on `cut`, any other `running`. All that is left out or
// taken for granted is said in the notes.
Scenario scenario_of(LogJob job, LogRanks ranks, ImportNotes& notes);

}  // namespace petri

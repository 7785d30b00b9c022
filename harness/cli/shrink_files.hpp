// What `petri shrink` writes besides its result, and what it says of the failure in the result.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "reducers/engine.hpp"

namespace petri::cli {

// What the reproducer is expected to do; empty where only a user's command knows.
Outcome outcome_of(const Scenario& scenario);

// What was observed of the original goes, unless the failure is none without it: that a job hung is what tells a rank
// which was only slow.
void drop_observed(Scenario& scenario, const Outcome& outcome);

// Writes the failures that were met on the way into `folder`, which is made, and returns their files in the same order.
// A file that is there already and holds something else is kept: the next free number is taken. The same run, killed
// and begun again, names them alike.
std::vector<std::string> file_also_found(const std::filesystem::path& folder,
                                         const std::vector<reduce::AlsoFound>& found);

// Removes what a run that was killed in the middle of writing left in `folder`, beside its outputs
// (`FILE.part<process>`, write.hpp): of the output `name`, or of failures also found. For whoever holds the journal: no
// other run writes there.
void remove_torn_output(const std::filesystem::path& output);
void remove_torn_also_found(const std::filesystem::path& folder);

}  // namespace petri::cli

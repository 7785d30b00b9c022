// What GitHub Actions shows: annotations at lines of files, and a summary of the step.
// Formats: docs.github.com, "Workflow commands for GitHub Actions".
#pragma once

#include <string>
#include <vector>

#include "harness/report/check_case.hpp"

namespace petri {

// One workflow command on a line for each check that somebody has to look at: an error, or a warning where it is
// inconclusive. Missed ones come first, since GitHub shows ten of a kind for a step. Empty where all is fine.
std::string render_github_annotations(const std::vector<CheckCase>& checks);

// Markdown: the numbers, and a table of what is not met with its stories folded in. Within the size that GitHub takes.
std::string render_github_summary(const std::vector<CheckCase>& checks);

}  // namespace petri

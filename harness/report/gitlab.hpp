// What GitLab shows beside the changes of a merge request: its Code Quality report.
// Format: docs.gitlab.com, "Code Quality", section "Code Quality report format".
#pragma once

#include <string>
#include <vector>

#include "harness/report/check_case.hpp"

namespace petri {

// A JSON array with one entry for each check that somebody has to look at. GitLab holds those of two branches against
// each other by their fingerprints, so these depend on nothing but the reproducer, the way it was looked at, and the
// state.
std::string render_gitlab(const std::vector<CheckCase>& checks);

}  // namespace petri

// The Test Anything Protocol, version 13, which prove and every other reader of it takes. What version 14 settled later
// (escapes, indentation) is kept to, too. Format: testanything.org.
#pragma once

#include <string>
#include <vector>

#include "harness/report/check_case.hpp"

namespace petri {

// One test point for each check. What is skipped is `ok` with a SKIP directive; what is inconclusive or unreadable is
// `not ok`: a guard that cannot judge guards nothing. Both sides and the story go into the YAML block.
std::string render_tap(const std::vector<CheckCase>& checks);

}  // namespace petri

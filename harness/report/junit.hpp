// JUnit XML, as CI systems read it.
//
// There is no standard; the strictest reader is Jenkins's xUnit plugin, which rejects a file that its schema junit-10
// does not allow: no `file` on a case, no `skipped` on the root, properties for a whole suite only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/report/check_case.hpp"

namespace petri {

using Properties = std::vector<std::pair<std::string, std::string>>;

// The document's text: one suite. What could not be judged is an <error>, a missed expectation a <failure>. Characters
// that XML 1.0 cannot carry become U+FFFD. `properties` say what the run was, e.g. which shard.
std::string render_junit(const std::vector<CheckCase>& checks, const Properties& properties = {});

}  // namespace petri

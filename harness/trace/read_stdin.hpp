// Reading a scenario that another program writes.
#pragma once

#include "harness/trace/scenario.hpp"

namespace petri {

// As read_scenario (read.hpp), compressed or not; messages call the file "standard input".
Scenario read_scenario_from_stdin();

}  // namespace petri

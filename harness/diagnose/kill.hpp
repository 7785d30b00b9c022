// A job that hung until somebody ended it: a time limit, a launcher, an impatient user.
#pragma once

#include <optional>
#include <string>

#include "harness/model/assumptions.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::diagnosis {

// The job as it stood before ranks were killed inside calls that could not return: those ranks are still in them.
// Nothing where a rank went down by itself (a crash, an abort that it called, an exit, an error that ended it), or
// where what it was in might have returned: then its end is what others wait for.
std::optional<Scenario> hung_before_kill(const Scenario& scenario, const model::Assumptions& assumptions);

// Which ranks were killed, and how.
std::string kill_text(const Scenario& scenario);

}  // namespace petri::diagnosis

// The third thing a reproducer can be asked: does the user's own program still fail in its way?
#pragma once

#include <filesystem>
#include <vector>

#include "harness/cli/reproducer.hpp"
#include "harness/trace/reproducer_command.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

// Runs the command under the recorder with as many ranks as the scenario has, and judges what was recorded by the
// failure that must be absent: the signature of the scenario's `expect`, of its `observed`, or its own. One run with
// that signature is enough; runs that tell nothing are repeated, with a larger ring where it lost events. `file` is the
// scenario's. Throws InputError where scenario and command do not fit together, EnvironmentError where something that
// it needs is missing.
CheckResult check_command(const Scenario& scenario, const ReproducerCommand& command, const std::filesystem::path& file,
                          const ReproducerOptions& options);

// The longest that all runs of the command can take, their ends and diagnoses included.
double limit_of(const ReproducerCommand& command, const ReproducerOptions& options);

}  // namespace petri::cli

// The options of every subcommand that judges a scenario.
#pragma once

#include "harness/cli/options.hpp"
#include "harness/diagnose/diagnose.hpp"

namespace petri::cli {

// Adds --assume and --max-orders.
void add_diagnose_options(po::options_description& options);

// What they say. Throws UsageError for an assumption that is none.
DiagnoseOptions diagnose_options_of(const po::variables_map& values);

}  // namespace petri::cli

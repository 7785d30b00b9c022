// What `petri check` tells: people, programs and build servers.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/check.hpp"

namespace petri::cli {

// For people, on stdout: a line for each check as it ends, and a last one with the numbers.
void print_check(const Check& check);
void print_summary(const std::vector<Check>& checks);

// For programs: one JSON object on stdout.
void print_json(const std::vector<Check>& checks);

void write_junit_report(const std::vector<Check>& checks, const std::string& file);

}  // namespace petri::cli

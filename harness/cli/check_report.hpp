// What `petri check` tells people and programs; build servers: check_formats.
#pragma once

#include <cstdio>
#include <vector>

#include "harness/cli/check.hpp"

namespace petri::cli {

// For people: a line for each check as it ends, and a last one with the numbers.
void print_check(const Check& check, std::FILE* to);
void print_summary(const std::vector<Check>& checks, std::FILE* to);

// For programs: one JSON object on stdout.
void print_json(const std::vector<Check>& checks);

}  // namespace petri::cli

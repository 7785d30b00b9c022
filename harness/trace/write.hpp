// Writing scenario files: JSON Lines, zstd-compressed where the name ends in ".zst".
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "harness/trace/scenario.hpp"

namespace petri {

// Written as a whole or not at all, by write_whole. Throws std::system_error when the system refuses.
void write_scenario(const Scenario& scenario, const std::filesystem::path& file);

// Plain JSON Lines to a stream. The same scenario always gives the same bytes; reading them gives the same scenario.
void write_scenario(const Scenario& scenario, std::ostream& out);

// One event as a line of the file has it, without the user's free keys.
std::string line_of(const Scenario& scenario, EventRef ref);

}  // namespace petri

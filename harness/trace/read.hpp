// Reading scenario files: JSON Lines, plain or zstd-compressed (recognized by content), one pass, line by line.
//
// Memory: 56 bytes an event; more only for clocks and for rare arguments (event_extras.hpp), of which equal ones are
// kept once; the text of one line at a time.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Reads one scenario. Throws InputError with file, line, column (in bytes) and what was expected there. A file that
// stops before its end line, also in the middle of a line, comes back with `cut` set, and ranks without an end line of
// their own end `cut`; one that holds nothing after its header is an error.
Scenario read_scenario(const std::filesystem::path& file);

// The same from a stream of plain text; `name` is what messages call it.
Scenario read_scenario(std::istream& in, const std::string& name);

}  // namespace petri

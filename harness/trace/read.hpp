// Reading scenario files: JSON Lines, plain or zstd-compressed (recognized by content), by several threads where there
// is much to read. What comes of it, a message too, is the same for any number of them.
//
// Memory: 56 bytes an event; more only for clocks and for rare arguments (event_extras.hpp), of which equal ones are
// kept once; and some lines for each thread, a megabyte at most unless a single line is longer.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>

#include "harness/trace/error.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

// Reads one scenario. Throws InputError with file, line, column (in bytes) and what was expected there. A file that
// stops before its end line, also in the middle of a line, comes back with `cut` set, and ranks without an end line of
// their own end `cut`; one that holds nothing after its header is an error. With 0 threads as many are used as the
// machine has processors, up to some.
Scenario read_scenario(const std::filesystem::path& file, unsigned threads = 0);

// The same from a stream, compressed or not; `name` is what messages call it.
Scenario read_scenario(std::istream& in, const std::string& name, unsigned threads = 0);

}  // namespace petri

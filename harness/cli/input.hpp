// Inputs that are no files: load_input (command.hpp) reads standard input for "-".
#pragma once

#include <cstdint>
#include <string>

#include "harness/import/foreign.hpp"
#include "harness/trace/scenario.hpp"

namespace petri::cli {

// What an input that is no standard input is, by its content.
enum class InputKind : std::uint8_t {
  scenario,   // a scenario file, or a file that is nothing else: its reader says what is wrong with it
  recording,  // a folder of Petri's own recordings
  foreign,    // a folder or file of traces that Petri did not record
};
InputKind kind_of_input(const std::string& path);

// Says on standard error what keeps imported evidence from being whole; with `all`, also what the format does not
// record and what was left out.
void say_notes(const Imported& imported, bool all);

// As load_input, with the payload of its reductions that lies in NumPy files beside it.
Scenario load_with_payload(const std::string& path);

inline bool is_stdin(const std::string& input) {
  return input == "-";
}

// What messages and files that come of an input call it.
inline std::string name_of_input(const std::string& input) {
  return is_stdin(input) ? "standard input" : input;
}

}  // namespace petri::cli

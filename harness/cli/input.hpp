// Inputs that are no files: load_input (command.hpp) reads standard input for "-".
#pragma once

#include <string>

#include "harness/trace/scenario.hpp"

namespace petri::cli {

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

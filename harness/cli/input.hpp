// Inputs that are no files: load_input (command.hpp) reads standard input for "-".
#pragma once

#include <string>

namespace petri::cli {

inline bool is_stdin(const std::string& input) {
  return input == "-";
}

// What messages and files that come of an input call it.
inline std::string name_of_input(const std::string& input) {
  return is_stdin(input) ? "standard input" : input;
}

}  // namespace petri::cli

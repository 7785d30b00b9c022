// Scenario texts of the tests: read, written, and what the reader says of bad ones.
#pragma once

#include <sstream>
#include <string>

#include "harness/trace/read.hpp"
#include "harness/trace/write.hpp"

namespace petri::test {

inline Scenario read_text(const std::string& text) {
  std::istringstream in(text);
  return read_scenario(in, "case.jsonl");
}

inline std::string written(const Scenario& scenario) {
  std::ostringstream out;
  write_scenario(scenario, out);
  return out.str();
}

// The reader's message, or "" when it takes the text.
inline std::string error_of(const std::string& text) {
  try {
    read_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace petri::test

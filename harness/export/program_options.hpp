// What a user says of a case to the writer of a program, whatever its language.
#pragma once

#include <string>

namespace petri {

struct ProgramOptions {
  std::string source = "scenario";  // what errors and the program's comment call the scenario
  std::string verdict, signature;   // of a diagnosis, for the comment; empty: those of the header
};

}  // namespace petri

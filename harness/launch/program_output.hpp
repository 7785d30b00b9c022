// What a short program prints: for asking other tools of the system.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace petri {

struct ProgramOutput {
  int status = 0;  // exit status; 128 + signal where a signal ended it
  std::string out, err;
};

struct ProgramCall {
  std::vector<std::string> arguments;                            // program first, looked up in PATH; never a shell
  std::vector<std::pair<std::string, std::string>> environment;  // on top of petri's own
  std::vector<std::string> unset = {};                           // names that the program must not see
  double limit_s = 60;
};

// Runs it without standard input. Throws EnvironmentError when it cannot be started or takes longer than the limit
// (then it is killed).
ProgramOutput output_of(const ProgramCall& call);

}  // namespace petri

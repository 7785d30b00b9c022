// `petri compare --locate`: where two recordings of one job first have different numbers.
#pragma once

#include <string>

namespace petri::cli {

// Prints it, and returns the exit status.
int run_locate(const std::string& one, const std::string& other, bool json);

}  // namespace petri::cli

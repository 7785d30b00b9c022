// Option parsing shared by the subcommands: the only door to Boost.Program_options.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/command.hpp"

namespace petri::cli {

namespace po = boost::program_options;

// What `petri NAME --help` prints around the options.
struct Help {
  std::string_view usage;    // "petri show [options] SCENARIO"
  std::string_view purpose;  // one or two sentences
  std::string_view example;  // a command and what it does
};

// Parses `args`; an --output of "-" becomes /dev/stdout. Prints the help and returns false when --help was asked for
// (then the command is done, status 0). Throws UsageError for unknown options, missing values and missing or surplus
// positional arguments.
bool parse(const std::vector<std::string>& args, const Help& help, const po::options_description& options,
           const po::positional_options_description& positional, po::variables_map& values);

}  // namespace petri::cli

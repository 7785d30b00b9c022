#include "harness/cli/options.hpp"

#include <fmt/core.h>

#include <sstream>

namespace petri::cli {

bool parse(const std::vector<std::string>& args, const Help& help, const po::options_description& options,
           const po::positional_options_description& positional, po::variables_map& values) {
  po::options_description visible("Options");
  visible.add(options);
  visible.add_options()("help,h", "print this help");
  try {
    // Abbreviated options would make every later option a breaking change.
    const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(visible).positional(positional).style(style).run(), values);
    if (values.count("help") != 0) {
      std::ostringstream text;
      text << visible;
      fmt::print("{}\n\nUsage: {}\n\n{}\nExample:\n  {}\n", help.purpose, help.usage, text.str(), help.example);
      return false;
    }
    po::notify(values);
  } catch (const po::error& error) {
    throw UsageError{error.what()};
  }
  return true;
}

}  // namespace petri::cli

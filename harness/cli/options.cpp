#include "harness/cli/options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

namespace petri::cli {
namespace {

// Stands on the command line without its name.
bool is_positional(const po::positional_options_description& positional, const std::string& name) {
  for (unsigned place = 0; place < positional.max_total_count() && place < 8; ++place)
    if (positional.name_for_position(place) == name) return true;
  return false;
}

}  // namespace

bool parse(const std::vector<std::string>& args, const Help& help, const po::options_description& options,
           const po::positional_options_description& positional, po::variables_map& values) {
  po::options_description all, visible("Options");
  all.add(options).add_options()("help,h", "print this help");
  for (const auto& option : all.options())
    if (!is_positional(positional, option->long_name())) visible.add(option);
  try {
    // Abbreviated options would make every later option a breaking change.
    const auto style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
    po::store(po::command_line_parser(args).options(all).positional(positional).style(style).run(), values);
    if (values.count("help") != 0) {
      std::ostringstream text;
      text << visible;
      fmt::print("{}\n\nUsage: {}\n\n{}\nExample:\n  {}\n", help.purpose, help.usage, text.str(), help.example);
      return false;
    }
    if (const auto output = values.find("output"); output != values.end() && output->second.as<std::string>() == "-")
      output->second.value() = std::string("/dev/stdout");
    po::notify(values);
  } catch (const po::required_option& error) {
    std::string name = error.get_option_name();
    name.erase(0, name.find_first_not_of('-'));
    if (!is_positional(positional, name)) throw UsageError{fmt::format("--{} is missing", name)};
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    throw UsageError{fmt::format("{} is missing", name)};
  } catch (const po::error& error) {
    throw UsageError{error.what()};
  }
  return true;
}

}  // namespace petri::cli

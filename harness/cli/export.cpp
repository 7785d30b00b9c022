// `petri export`: a scenario in a form that somebody else asks for.
#include <fmt/core.h>

#include "harness/cli/command.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/diagnose/diagnose.hpp"
#include "harness/export/c_program.hpp"

namespace petri::cli {
namespace {

constexpr Help kHelp{
    "petri export --to c [options] SCENARIO",
    "Writes the scenario as a self-contained program that fails in the same way: one C file, no dependency but MPI.\n"
    "SCENARIO is a scenario file, a folder of recorded ranks, or - for standard input.",
    "petri export --to c case.jsonl -o case.c && mpicc case.c -o case    makes a program to send to a maintainer",
};

}  // namespace

int run_export(const std::vector<std::string>& args) {
  po::options_description options("Options");
  options.add_options()("to", po::value<std::string>()->required()->value_name("FORMAT"), "c");
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE"), "instead of standard output");
  options.add_options()("scenario", po::value<std::string>()->required(), "the scenario");
  po::positional_options_description positional;
  positional.add("scenario", 1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return kOk;
  if (values["to"].as<std::string>() != "c")
    throw UsageError{fmt::format("--to must be c, got '{}'", values["to"].as<std::string>())};

  const auto& source = values["scenario"].as<std::string>();
  const Scenario scenario = load_input(source);
  if (values.count("output") != 0) {
    require_other_than_input(values["output"].as<std::string>(), source);
    require_writable(values["output"].as<std::string>(), Content::text);
  }
  const Diagnosis diagnosis = diagnose(scenario);
  const std::string text =
      c_program(scenario, {name_of_input(source), std::string(name_of(diagnosis.verdict)), diagnosis.signature});
  if (values.count("output") != 0)
    write_file(values["output"].as<std::string>(), text);
  else
    fmt::print("{}", text);
  return kOk;
}

}  // namespace petri::cli

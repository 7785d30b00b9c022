// `petri export`: a scenario in a form that somebody else asks for.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "harness/cli/command.hpp"
#include "harness/cli/export_formats.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/trace/whole_file.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

std::string purpose() {
  std::string text = "Writes the scenario in a form that somebody else asks for:\n";
  for (const ExportFormat& format : export_formats()) text += fmt::format("  {:9} {}\n", format.name, format.purpose);
  return text +
         "SCENARIO is a scenario file, folders of recorded ranks, or a trace that others recorded:\n"
         "files, folders, archives. - is standard input.";
}

const ExportFormat& format_named(const std::string& name) {
  std::string known;
  for (const ExportFormat& format : export_formats()) {
    if (format.name == name) return format;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", format.name);
  }
  throw UsageError{fmt::format("--to must be one of {}; got '{}'", known, name)};
}

void require_place(const ExportFormat& format, const std::string& output, const Input& input) {
  if (format.output == ExportOutput::folder) {
    if (output.empty()) throw UsageError{fmt::format("--to {} writes a folder: name it by -o", format.name)};
    require_other_than_input(output, input.sources());
    return;
  }
  if (!output.empty()) {
    require_other_than_input(output, input.sources());
    require_writable(output, format.output == ExportOutput::binary ? Content::binary : Content::text);
  }
  const bool to_stdout = output.empty() || is_stdout(output);
  if (format.output == ExportOutput::binary && to_stdout && isatty(STDOUT_FILENO) != 0)
    throw UsageError{
        fmt::format("--to {} writes no text, and standard output is a terminal: name a file by -o", format.name)};
}

}  // namespace

int run_export(const std::vector<std::string>& args) {
  po::options_description options("Options");
  options.add_options()("to", po::value<std::string>()->required()->value_name("FORMAT"), "the form: see above");
  options.add_options()("output,o", po::value<std::string>()->value_name("PLACE"), "instead of standard output");
  options.add_options()("scenario", po::value<std::vector<std::string>>()->required(), "the scenario");
  po::positional_options_description positional;
  positional.add("scenario", -1);
  po::variables_map values;
  const std::string about = purpose();
  const Help help{
      "petri export --to FORMAT [options] SCENARIO...",
      about,
      "petri export --to c case.jsonl -o case.c && mpicc case.c -o case    makes a program to send to a maintainer",
  };
  if (!parse(args, help, options, positional, values)) return kOk;
  const ExportFormat& format = format_named(values["to"].as<std::string>());
  const Input input(values["scenario"].as<std::vector<std::string>>());
  const std::string output = values.count("output") != 0 ? values["output"].as<std::string>() : "";

  const Scenario scenario = input.load();
  require_place(format, output, input);
  const Diagnosis diagnosis = diagnose(scenario);
  const ExportRequest request{scenario, diagnosis, input.name()};
  if (format.output == ExportOutput::folder)
    format.write_folder(request, output);
  else if (!output.empty() && !is_stdout(output))
    write_whole(output, [&](std::ostream& out) { format.write(request, out); });
  else
    format.write(request, std::cout << std::flush);
  return kOk;
}

}  // namespace petri::cli

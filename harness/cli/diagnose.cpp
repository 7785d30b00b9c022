// `petri diagnose`: what went wrong, and who began it.
#include "harness/diagnose/diagnose.hpp"

#include <fmt/core.h>

#include "harness/cli/command.hpp"
#include "harness/cli/diagnose_options.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/report/diagnosis.hpp"

namespace petri::cli {
namespace {

constexpr Help kHelp{
    "petri diagnose [options] SCENARIO...",
    "Says what is wrong in a recorded job: the verdict, who began it, both sides of the difference, and where each "
    "rank\n"
    "is blocked. SCENARIO is a scenario file, folders of recorded ranks, or a trace that others recorded: files, "
    "folders,\n"
    "archives. - is standard input. The exit status tells the verdict: 0 nothing wrong, 4 undecided, 10 deadlock, 11 "
    "mismatch, 12 divergence, 13 race, 14 rank error, 15 skew, 16 "
    "misuse.",
    "petri diagnose job.jsonl       says why job.jsonl hung\n"
    "  petri diagnose dumps/rank_*    the same of a job of which each rank left a file",
};

}  // namespace

int run_diagnose(const std::vector<std::string>& args) {
  po::options_description options("Options");
  options.add_options()("json", "print one JSON object");
  add_diagnose_options(options);
  options.add_options()("scenario", po::value<std::vector<std::string>>()->required(), "the scenario");
  po::positional_options_description positional;
  positional.add("scenario", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return kOk;

  const DiagnoseOptions how = diagnose_options_of(values);
  const Scenario scenario = Input(values["scenario"].as<std::vector<std::string>>()).load_with_payload();
  const Diagnosis diagnosis = diagnose(scenario, how);
  if (values.count("json") != 0)
    fmt::print("{}", render_json(diagnosis, scenario));
  else
    say(stdout, "{}", render_text(diagnosis, scenario));
  return exit_status_of(diagnosis.verdict);
}

}  // namespace petri::cli

// petri record: an MPI program, unchanged, under the recorder and the watch.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/missing_records.hpp"
#include "harness/cli/numbers.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/recorded_run.hpp"
#include "harness/cli/recording_place.hpp"
#include "harness/cli/run_report.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/report/diagnosis.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

constexpr std::uint64_t kMostRing_mib = 1 << 20;  // a terabyte

constexpr Help kHelp{
    "petri record [options] -- mpirun ARGUMENT...",
    "Runs an MPI program unchanged, watches its ranks, stops it when it is proved to hang, and says what went wrong.\n"
    "The program's output passes through; what petri says goes to stderr (with --json, the last line of stdout).",
    "petri record -o hang.jsonl -- mpirun -n 16 ./train --steps 100"};

struct RecordRequest {
  std::string file;  // empty: named after the job
  std::string dir;   // for the ranks' records; empty: RecordingPlace chooses
  bool json = false;
  JobOptions job;
};

// A new name in this folder: an earlier recording is not overwritten unless the user names it.
std::string new_file_name(const std::string& job) {
  std::string clean;
  for (const char c : job) clean += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ? c : '-';
  const std::string stem = "petri-" + (clean.empty() ? "job" : clean);
  std::string name = stem + ".jsonl";
  for (int n = 2; std::filesystem::exists(name); ++n) name = fmt::format("{}-{}.jsonl", stem, n);
  return name;
}

int status_of(const JobResult& job, const Diagnosis& diagnosis) {
  if (job.end == JobResult::End::interrupted) return 128 + job.interrupted_by;
  if (diagnosis.verdict != Verdict::completes) return exit_status_of(diagnosis.verdict);
  if (job.end == JobResult::End::timed_out) return kAmbiguous;  // it did not move, and nothing explains why
  return ended_badly(job) ? kRankError : kOk;
}

void print_report(const RecordRequest& request, const JobResult& job, const Scenario& scenario,
                  const Diagnosis& diagnosis, const std::string& file, const RecordFolders& folders) {
  if (request.json) {
    auto object = nlohmann::ordered_json::parse(render_json(diagnosis, scenario));
    object["run"] = run_as_json(job);
    object["scenario"] = file;
    if (const auto missing = ranks_without_record(scenario); !missing.empty()) {
      object["ranks_without_record"] = missing;
      if (!folders.kept.empty()) object["records"] = folders.kept.string();
    }
    fmt::print("{}\n", printable_json(object.dump(-1, ' ', false, decltype(object)::error_handler_t::replace)));
    std::fflush(stdout);
    return;
  }
  say(stderr, "petri: {}\n{}", describe_run(job), render_text(diagnosis, scenario));
  if (diagnosis.verdict == Verdict::completes && job.end == JobResult::End::by_itself && job.command.status != 0)
    say(stderr, "The program itself ended with {}; its communication is in order.\n", describe(job.command));
  say(stderr, "petri: recorded {} of {} in {}\n", counted(scenario.event_count(), "event"),
      counted(static_cast<std::uint64_t>(scenario.world()), "rank"), file);
  say(stderr, "{}", explain_missing_records(scenario, request.job.command.arguments, folders));
}

int record(RecordRequest request) {
  const InterruptScope interrupts;
  RecordingPlace place(request.dir, request.job.command.arguments,
                       (std::filesystem::current_path() / request.file).parent_path());
  request.job.recording = place.folder();
  request.job.command.inherit_stdin = true;
  const RecordedRun run = run_recorded(request.job);
  if (!run.scenario) {
    if (run.job.end == JobResult::End::interrupted) return 128 + run.job.interrupted_by;
    throw EnvironmentError(run.why_not);
  }
  const Scenario& scenario = *run.scenario;
  const std::string file = request.file.empty() ? new_file_name(scenario.header.job) : request.file;
  write_scenario(scenario, file);
  const Diagnosis diagnosis = diagnose(scenario);
  const RecordFolders folders{
      place.folder(), ranks_without_record(scenario).empty() ? std::filesystem::path() : place.keep_beside(file)};
  print_report(request, run.job, scenario, diagnosis, file, folders);
  return status_of(run.job, diagnosis);
}

}  // namespace

int run_record(const std::vector<std::string>& args) {
  end_at_interrupt();
  // Everything after "--" is the program's, whatever it looks like.
  const auto separator = std::find(args.begin(), args.end(), "--");
  RecordRequest request;
  std::uint64_t ring_mib = 0;
  po::options_description options("Options");
  options.add_options()("output,o", po::value(&request.file)->value_name("FILE"),
                        "the scenario file (.jsonl or .jsonl.zst); without it petri-JOB.jsonl")(
      "dir", po::value(&request.dir)->value_name("FOLDER"),
      "keep the ranks' records in this folder, which all hosts of the job should share; without it they are gone "
      "when the scenario file is written")(
      "timeout", seconds("timeout", &request.job.timeout_s),
      "stop after so long without progress even if no deadlock is proved; without it 600, and never while a rank "
      "computes")("strict", po::bool_switch(&request.job.strict),
                  "make every send wait for its receive, and every collective for all its ranks")(
      "digests", po::bool_switch(&request.job.digests), "record digests and summaries of buffers")(
      "buffers", po::bool_switch(&request.job.buffers), "record which memory each call reads and writes")(
      "ring", number("ring", &ring_mib, std::uint64_t{1}, kMostRing_mib)->value_name("MIB"),
      "memory for the events of a rank; the oldest are dropped when it is full (16)")(
      "json", po::bool_switch(&request.json), "one JSON object as the last line of stdout");
  po::variables_map values;
  if (!parse({args.begin(), separator}, kHelp, options, {}, values)) return kOk;
  if (separator == args.end() || separator + 1 == args.end())
    throw UsageError{"record needs the program after --: petri record -- mpirun -n 4 ./program"};
  if (values.count("ring") != 0) request.job.ring_mib = ring_mib;
  if (!request.file.empty()) {
    require_other_than_stdout(request.file);
    require_writable(request.file, Content::scenario);
    require_apart({{"-o", request.file}, {"--dir", request.dir}});
  }
  request.job.command.arguments.assign(separator + 1, args.end());
  return record(std::move(request));
}

}  // namespace petri::cli

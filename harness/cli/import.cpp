// `petri import`: recordings, or a scenario, as a scenario file.
#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "harness/cli/command.hpp"
#include "harness/cli/input.hpp"
#include "harness/cli/options.hpp"
#include "harness/cli/output.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/import/recording.hpp"
#include "harness/trace/counted.hpp"
#include "harness/trace/printable.hpp"
#include "harness/trace/write.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;

constexpr Help kHelp{
    "petri import [options] SOURCE...",
    "Makes a scenario file of what the recorder left: of one folder, or of several, as one of each host; or of a "
    "trace\n"
    "that something else recorded: a folder, an archive or files, as they come. The format is recognized by content, "
    "and\n"
    "what it does not record is said. A scenario file is written again in its canonical form.",
    "petri import -o job.jsonl.zst petri-record    after LD_PRELOAD=libpetri_record.so mpirun ./train",
};

std::string start_text(const RecordedJob& job) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(static_cast<std::time_t>(job.start_ns / 1000000000)));
}

void list_jobs(const std::vector<RecordedJob>& jobs) {
  for (const RecordedJob& job : jobs)
    say(stdout, "{}  {}, from {}\n", job.id, counted(static_cast<std::uint64_t>(job.processes), "process"),
        start_text(job));
}

// Which of the jobs in the folders is meant: the one that was named, or the latest; says so where there are several.
std::string choose_job(const std::vector<RecordedJob>& jobs, const po::variables_map& values) {
  if (values.count("job") != 0) {
    const auto& named = values["job"].as<std::string>();
    if (std::none_of(jobs.begin(), jobs.end(), [&](const RecordedJob& job) { return job.id == named; }))
      throw UsageError{fmt::format("no job '{}' is recorded there; --list shows those that are", named)};
    return named;
  }
  if (jobs.empty()) return "";
  if (jobs.size() > 1)
    say(stderr, "petri: {} jobs are recorded there: this is the latest, {}, from {} (--job takes another)\n",
        jobs.size(), jobs.back().id, start_text(jobs.back()));
  return jobs.back().id;
}

// What is told of foreign traces instead of jobs.
void list_formats(const ForeignFiles& files) {
  std::size_t number = 0;
  for (const auto& [format, names] : files.formats())
    say(stdout, "{}  {}: {}{}\n", format, counted(names.size(), "file"), printable_line(some_of(names)),
        ++number == 1 ? "" : " (left out)");
}

// Jobs are chosen among Petri's own recordings; files of one foreign trace are chosen by naming them.
void require_recordings(const Input& input, const po::variables_map& values) {
  const bool foreign = input.kind() == InputKind::foreign;
  if (values.count("job") == 0 && (foreign || !values["list"].as<bool>())) return;
  throw UsageError{fmt::format("{} {}, and --job and --list are for folders of Petri's own recordings{}", input.name(),
                               foreign ? "is of another recorder, which keeps no jobs apart" : "is a scenario",
                               foreign ? ": name the files of one job" : "")};
}

void write(const Scenario& scenario, const po::variables_map& values) {
  if (values.count("output") != 0)
    write_scenario(scenario, fs::path(values["output"].as<std::string>()));
  else
    write_scenario(scenario, std::cout);
}

}  // namespace

int run_import(const std::vector<std::string>& args) {
  po::options_description options("Options");
  options.add_options()("output,o", po::value<std::string>()->value_name("FILE"), "instead of standard output");
  options.add_options()("job", po::value<std::string>()->value_name("ID"),
                        "which of several jobs in the folders; the latest otherwise");
  options.add_options()(
      "list", po::bool_switch(),
      "list the jobs in the folders, the latest last, or the formats of a foreign trace, and write nothing");
  options.add_options()("source", po::value<std::vector<std::string>>()->required(), "folders, archives, files");
  po::positional_options_description positional;
  positional.add("source", -1);
  po::variables_map values;
  if (!parse(args, kHelp, options, positional, values)) return kOk;

  const auto& sources = values["source"].as<std::vector<std::string>>();
  if (values.count("output") != 0) {
    require_other_than_input(values["output"].as<std::string>(), sources);
    require_writable(values["output"].as<std::string>(), Content::scenario);
  }
  const Input input(sources);
  if (input.kind() != InputKind::recording) require_recordings(input, values);
  if (input.kind() == InputKind::scenario) {
    write(input.load(), values);
    return kOk;
  }
  if (input.kind() == InputKind::foreign) {
    if (values["list"].as<bool>() && input.foreign().any()) {
      list_formats(input.foreign());
      return kOk;
    }
    const Imported imported = input.import();
    say_notes(imported, true);
    write(imported.scenario, values);
    return kOk;
  }
  const std::vector<fs::path> folders(sources.begin(), sources.end());
  const std::vector<RecordedJob> jobs = recorded_jobs(folders);
  if (values["list"].as<bool>()) {
    list_jobs(jobs);
    return kOk;
  }
  RecordingOptions recording;
  recording.job = choose_job(jobs, values);
  write(import_recording(folders, recording), values);
  return kOk;
}

}  // namespace petri::cli

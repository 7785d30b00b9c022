#include "harness/cli/compare_live.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/compare_progress.hpp"
#include "harness/cli/live.hpp"
#include "harness/cli/run_report.hpp"
#include "harness/cli/terminal.hpp"
#include "harness/compare/measurable.hpp"
#include "harness/launch/interrupt.hpp"
#include "harness/launch/mpirun.hpp"
#include "harness/launch/run_job.hpp"
#include "harness/trace/error.hpp"
#include "harness/trace/whole_file.hpp"
#include "harness/worker/plan/reductions.hpp"

namespace petri::cli {
namespace {

namespace fs = std::filesystem;
using compare::Configuration;
using compare::Measurement;
using compare::Measurements;
using compare::Reductions;

constexpr std::uint64_t kPiece = 8192;                              // elements that are written at a time
constexpr std::uint64_t kMostResultBytes = std::uint64_t{1} << 30;  // of all distinct results of a job

// Reads back what one job left, while its folder is there.
struct Collected {
  ReductionReport report;
  std::vector<Measurement> measurements;  // by call; empty where not all runs were made, or they are too large
  std::uint64_t bytes = 0;                // of them
  bool too_large = false;
};

class LiveJob {
 public:
  LiveJob(const Reductions& reductions, const compare::MeasuringJob& plan, double limit_s)
      : reductions_(reductions), plan_(plan), limit_s_(limit_s) {
    job_ = {.op = reductions.op, .count = reductions.count, .runs = reductions.runs};
    for (const std::size_t place : plan.places) {
      const Configuration& c = reductions.configurations[place];
      job_.calls.push_back({c.kernel ? std::string(kReproducibleCall) : c.order, c.ranks, c.type});
    }
  }

  // Adds to `into`, by the places of the plan.
  JobResult run(Measurements& into) {
    JobResult result = run_job(options());
    if (result.end == JobResult::End::interrupted) return result;
    if (collected_.report.library.empty() && result.end == JobResult::End::by_itself)
      throw EnvironmentError(fmt::format("nothing could be measured: mpirun ended with {}{}{}",
                                         describe(result.command), result.output.empty() ? "" : "\n", result.output));
    if (into.library.empty()) into.library = collected_.report.library;
    tell(result);
    for (std::size_t call = 0; call < job_.calls.size(); ++call) take(call, result, into);
    return result;
  }

 private:
  JobOptions options() {
    std::int32_t ranks = 1;
    for (const ReductionCall& call : job_.calls) ranks = std::max(ranks, call.ranks);
    JobOptions options;
    options.command = mpirun_command(ranks, worker_program(), {"--reduce"});
    for (const auto& [name, value] : plan_.parameters)
      options.command.environment.emplace_back("OMPI_MCA_" + name, value);
    options.capture_output = true;
    options.timeout_s = options.limit_s = limit_s_;
    options.stop_grace_s = 0;  // all that the launcher would clean up lies in the run folder
    options.room = room();
    options.prepare = [this](const fs::path& folder, GuardedCommand& command) {
      command.arguments.push_back(folder.string());
      command.prepare = [this, folder] { write_inputs(folder); };
    };
    options.collect = [this](const fs::path& folder) { collect(folder); };
    return options;
  }

  std::uint64_t bytes_of(ElementType type) const { return job_.count * size_of(type); }

  // Of what goes in, and of two results of each call.
  std::uint64_t room() const {
    std::uint64_t bytes = 0;
    for (const ReductionCall& call : job_.calls)
      bytes += (static_cast<std::uint64_t>(call.ranks) + 2) * bytes_of(call.type);
    return bytes;
  }

  void write_inputs(const fs::path& folder) const {
    write_reductions(job_, folder);
    for (const ReductionCall& call : job_.calls) {
      const fs::path file = contributions_file(folder, call.ranks, call.type);
      if (!fs::exists(file)) write_contributions(file, call);
    }
  }

  void write_contributions(const fs::path& file, const ReductionCall& call) const {
    std::ofstream out(file, std::ios::binary);
    std::vector<std::byte> piece;
    for (std::int32_t rank = 0; rank < call.ranks; ++rank)
      for (std::uint64_t first = 0; first < job_.count; first += kPiece) {
        const auto count = static_cast<std::size_t>(std::min(kPiece, job_.count - first));
        piece.resize(count * size_of(call.type));
        compare::write_contribution(reductions_, call.ranks, rank, call.type, first, count, piece.data());
        out.write(reinterpret_cast<const char*>(piece.data()), static_cast<std::streamsize>(piece.size()));
      }
    if (!out.flush())
      throw EnvironmentError("cannot write " + file.string() + ": is there room for all contributions?");
  }

  void collect(const fs::path& folder) {
    collected_.report = read_reduction_report(folder, job_.calls.size());
    collected_.measurements.resize(job_.calls.size());
    for (std::size_t call = 0; call < job_.calls.size(); ++call)
      if (collected_.report.outcomes[call].runs.size() == job_.runs)
        collected_.measurements[call] = measurement(folder, call);
  }

  Measurement measurement(const fs::path& folder, std::size_t call) {
    const std::uint64_t bytes = bytes_of(job_.calls[call].type);
    Measurement made;
    std::map<std::string, std::size_t> places;
    for (const auto& digests : collected_.report.outcomes[call].runs) {
      auto& run = made.runs.emplace_back();
      for (const std::string& digest : digests) {
        const auto [place, is_new] = places.emplace(digest, made.results.size());
        if (is_new) {
          collected_.too_large = collected_.too_large || bytes > kMostResultBytes - collected_.bytes;
          if (collected_.too_large) return {};
          collected_.bytes += bytes;
          made.results.push_back(content_of(result_file(folder, digest), bytes));
        }
        run.push_back(place->second);
      }
    }
    return made;
  }

  static std::vector<std::byte> content_of(const fs::path& file, std::uint64_t bytes) {
    std::vector<std::byte> content(bytes);
    read_whole(file, content);
    return content;
  }

  std::string why_incomplete(const JobResult& result) const {
    if (result.end == JobResult::End::timed_out)
      return fmt::format("its job was stopped after {} s (--timeout)", limit_s_);
    if (collected_.too_large)
      return fmt::format("the results differ so much that all are over {} MiB", kMostResultBytes >> 20);
    return fmt::format("its job ended with {}", describe(result.command));
  }

  void tell(const JobResult& result) const {
    const bool well =
        result.end == JobResult::End::by_itself && result.command.status == 0 && result.command.signal == 0;
    if (well || result.output.empty()) return;
    say(stderr, "petri: a job did not come to its end; what it printed:\n{}", result.output);
  }

  void take(std::size_t call, const JobResult& result, Measurements& into) {
    const std::size_t place = plan_.places[call];
    const std::string& refusal = collected_.report.outcomes.empty() ? "" : collected_.report.outcomes[call].refusal;
    if (!refusal.empty()) {
      into.not_of[place] = refusal;
    } else if (collected_.measurements[call].runs.empty()) {
      into.not_of[place] = why_incomplete(result);
      if (into.complete) into.why_incomplete = into.not_of[place];
      into.complete = false;
    } else {
      into.of[place] = std::move(collected_.measurements[call]);
    }
  }

  const Reductions& reductions_;
  const compare::MeasuringJob& plan_;
  double limit_s_;
  ReductionJob job_;
  Collected collected_;
};

}  // namespace

int measure(Reductions& reductions, double limit_s) {
  const InterruptScope interrupts;
  compare::MeasuringPlan plan = compare::plan_measurements(reductions);
  Measurements measurements;
  measurements.not_of = std::move(plan.not_of);
  if (plan.jobs.empty()) say(stderr, "petri compare: nothing is measured: {}\n", measurements.not_of.begin()->second);
  MeasuringProgress progress(plan.jobs.size(), limit_s);
  for (const compare::MeasuringJob& job : plan.jobs) {
    progress.begin_job();
    LiveJob(reductions, job, limit_s).run(measurements);
    if (interrupt_count() == 0) continue;
    say(stderr, "petri compare: interrupted while it measured ({}): nothing is compared yet\n", progress.text());
    return interrupt_signal();
  }
  compare::add_measurements(std::move(measurements), reductions);
  return 0;
}

}  // namespace petri::cli

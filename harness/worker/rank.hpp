// One rank of a replay: its holdings, its place in the scenario and its end.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/holdings.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/replay_log.hpp"
#include "harness/worker/shapes.hpp"

namespace petri {

struct WorkerOptions {
  std::string scenario;
  std::string files;                                     // a folder for the files that the scenario opens
  bool free_order = false;                               // wildcards take what comes, also where `matched` is recorded
  std::vector<std::pair<std::uint32_t, double>> delays;  // of this rank: seq, milliseconds
};

class Rank {
 public:
  Rank(const Scenario& scenario, std::int32_t number, const WorkerOptions& options);

  // Performs the rank's events and ends as its record does. Does not return where that means to die.
  void run();

  const Scenario& scenario() const { return scenario_; }
  std::int32_t number() const { return number_; }
  const RankTrace& trace() const { return scenario_.ranks[static_cast<std::size_t>(number_)]; }
  const WorkerOptions& options() const { return options_; }
  const Shapes& shapes() const { return shapes_; }
  Holdings& holdings() { return holdings_; }
  std::filesystem::path path_of(const std::string& file) const;
  ReplayLog& log() { return log_; }

  // Stays until all ranks rest (plan.hpp) or petri ends the job.
  [[noreturn]] void idle();
  void finalize();

 private:
  void end_like_the_record();

  const Scenario& scenario_;
  std::int32_t number_;
  const WorkerOptions& options_;
  Shapes shapes_;
  std::map<std::string, FilePlan> files_;
  Holdings holdings_;
  ReplayLog log_;
  bool finalized_ = false;
};

}  // namespace petri

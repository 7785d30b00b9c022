// One rank of a replay: its holdings, its place in the scenario and its end.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/holdings.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/replay_log.hpp"
#include "harness/worker/progress.hpp"
#include "harness/worker/shapes.hpp"

namespace petri {

// Waits before an event.
struct Delay {
  std::int32_t rank = 0;
  std::uint32_t seq = 0;
  double ms = 0;
};

struct WorkerOptions {
  std::string scenario;
  std::string files;        // a folder for the files that the scenario opens
  bool free_order = false;  // wildcards take what comes, also where `matched` is recorded
  std::vector<Delay> delays;
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
  const std::vector<Lane>& lanes() const { return lanes_; }
  const std::vector<std::vector<std::size_t>>& prerequisites() const { return prerequisites_; }
  Progress& progress() { return progress_; }
  void log_end_of(std::size_t lane) { log_.begin(trace().events.size() + lane); }
  std::filesystem::path path_of(const std::string& file) const;
  ReplayLog& log() { return log_; }

  // Stays until all ranks rest (plan.hpp) or petri ends the job; the other threads go on until they are done.
  [[noreturn]] void idle();
  void finalize();

 private:
  void start_threads();
  void join_threads();
  void end_like_the_record();

  const Scenario& scenario_;
  std::int32_t number_;
  const WorkerOptions& options_;
  Shapes shapes_;
  std::map<std::string, FilePlan> files_;
  std::vector<Lane> lanes_;
  std::vector<std::vector<std::size_t>> prerequisites_;
  Progress progress_;
  std::vector<std::thread> threads_;  // of the lanes but the first
  Holdings holdings_;
  ReplayLog log_;
  bool finalized_ = false;
};

}  // namespace petri

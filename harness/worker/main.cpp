// petri-worker: an ordinary MPI program that performs a scenario's events. Started by `petri replay` under mpirun; what
// it does is recorded like any other program.
//
// Usage: petri-worker SCENARIO [--free-order] [--files FOLDER] [--delay RANK:SEQ:MS]…
//        petri-worker --reduce FOLDER       for `petri compare --live` (reduce.hpp)
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "harness/trace/read.hpp"
#include "harness/worker/perform.hpp"
#include "harness/worker/plan/files.hpp"
#include "harness/worker/plan/lanes.hpp"
#include "harness/worker/plan/operations.hpp"
#include "harness/worker/plan/plan.hpp"
#include "harness/worker/plan/refusal.hpp"
#include "harness/worker/reduce.hpp"

namespace petri {
namespace {

constexpr int kBadInput = 2, kEnvironment = 3;
constexpr const char* kNoThreads =
    "the scenario has ranks with several threads, and this MPI library does not grant MPI_THREAD_MULTIPLE";

// False where threads are asked for and not granted.
bool initialize(int* argc, char*** argv, bool threads) {
  if (!threads) return MPI_Init(argc, argv) == MPI_SUCCESS;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
  return provided == MPI_THREAD_MULTIPLE;
}

bool parse(int argc, char** argv, WorkerOptions& options) {
  for (int i = 1; i < argc; ++i) {
    int of_rank = 0;
    unsigned seq = 0;
    double ms = 0;
    if (std::strcmp(argv[i], "--free-order") == 0) {
      options.free_order = true;
    } else if (std::strcmp(argv[i], "--delay") == 0 && i + 1 < argc &&
               std::sscanf(argv[i + 1], "%d:%u:%lf", &of_rank, &seq, &ms) == 3) {
      options.delays.push_back({of_rank, seq, ms});
      ++i;
    } else if (std::strcmp(argv[i], "--files") == 0 && i + 1 < argc) {
      options.files = argv[++i];
    } else if (argv[i][0] != '-' && options.scenario.empty()) {
      options.scenario = argv[i];
    } else {
      return false;
    }
  }
  return !options.scenario.empty();
}

// What petri has checked before it started the job; here for a worker that is started by hand.
WorkerRefusal reason_to_refuse(const Scenario& scenario, int world, const WorkerOptions& options) {
  if (world != scenario.world()) {
    return {kBadInput,
            "the scenario has " + std::to_string(scenario.world()) + " ranks, this job " + std::to_string(world)};
  }
  if (const auto refusal = refusal_of(scenario)) return {kBadInput, refusal->reason};
  if (const auto missing = missing_for_replay(scenario)) return {kEnvironment, missing->reason};
  if (options.files.empty() && !files_of(scenario).empty())
    return {kBadInput, "the scenario opens files: --files must name a folder"};
  for (const RankTrace& rank : scenario.ranks) {
    for (const Event& event : rank.events) {
      if (performer_of(event.op) == nullptr) return {kBadInput, "no way to perform " + std::string(name_of(event.op))};
    }
  }
  return {};
}

// Whoever started the replay finds the reason beside the records.
[[noreturn]] void refuse(const WorkerRefusal& refusal, int rank) {
  if (rank == 0) {
    if (const char* folder = std::getenv("PETRI_RECORD_DIR"); folder != nullptr) note_refusal(folder, refusal);
    std::fprintf(stderr, "petri-worker: %s\n", refusal.reason.c_str());
  }
  PMPI_Barrier(MPI_COMM_WORLD);  // an abort of another rank must not come first
  PMPI_Abort(MPI_COMM_WORLD, refusal.status);
  std::abort();
}

}  // namespace
}  // namespace petri

int main(int argc, char** argv) {
  using namespace petri;
  if (argc == 3 && std::strcmp(argv[1], "--reduce") == 0) return make_reductions(argv[2], &argc, &argv);
  WorkerOptions options;
  WorkerRefusal problem;
  std::optional<Scenario> scenario;
  try {
    if (parse(argc, argv, options))
      scenario = read_scenario(options.scenario, 1);  // each process of the job reads it
    else
      problem = {kBadInput, "usage: petri-worker SCENARIO [--free-order] [--files FOLDER] [--delay RANK:SEQ:MS]..."};
  } catch (const std::exception& error) {
    problem = {kBadInput, error.what()};
  }
  // Before MPI starts, it must be known whether threads will call it.
  const bool threads = scenario && uses_threads(*scenario);
  const bool granted = initialize(&argc, &argv, threads);
  int rank = 0, world = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world);
  if (problem.reason.empty()) problem = reason_to_refuse(*scenario, world, options);
  if (problem.reason.empty() && !granted) problem = {kEnvironment, kNoThreads};
  if (!problem.reason.empty()) refuse(problem, rank);
  Rank(*scenario, rank, options).run();
  return 0;
}

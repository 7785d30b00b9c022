// One rank of a replay: its communicators, open requests and place in the scenario.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/payload.hpp"
#include "harness/worker/plan/replay_log.hpp"

namespace petri {

struct WorkerOptions {
  std::string scenario;
  bool free_order = false;                               // wildcards take what comes, also where `matched` is recorded
  std::vector<std::pair<std::uint32_t, double>> delays;  // of this rank: seq, milliseconds
};

// Count and type of one side of a call.
struct Shape {
  int count = 0;
  ElementType type = ElementType::unknown;
};

class Replayer {
 public:
  Replayer(const Scenario& scenario, std::int32_t rank, const WorkerOptions& options);

  // Performs the rank's events and ends as its record does. Does not return where that means to die.
  void run();

  const Scenario& scenario() const { return scenario_; }
  std::int32_t rank() const { return rank_; }
  const RankTrace& trace() const { return trace_; }
  bool forces_order() const { return !options_.free_order; }

  MPI_Comm comm_of(const Event& event) const { return comms_[static_cast<std::size_t>(event.comm)]; }
  // Where the handle of the communicator that the event makes goes.
  MPI_Comm* new_comm_of(const Event& event);
  int size_of_comm(const Event& event) const;

  // A request by its number; MPI_REQUEST_NULL where it is not open. Buffers of an open request live as long as it does.
  MPI_Request& request(std::uint32_t number) { return requests_[number].handle; }
  void keep(std::uint32_t number, Bytes buffer) { requests_[number].buffers.push_back(std::move(buffer)); }
  void forget(std::uint32_t number) { requests_.erase(number); }
  // For a blocking call: the buffer lives until the next event.
  Bytes& scratch(Bytes buffer);
  MPI_Message& message(const Event& event) { return messages_[event.extras->message.value_or(0)]; }

  // What is not recorded is taken from another rank's event of the same operation on the same communicator, so that
  // both fit; where nobody says, one int32.
  Shape shape_of(const Event& event) const;

  // True when the event at hand never ends by itself (plan.hpp).
  bool endless() const;

  // Stays until all ranks rest (plan.hpp) or petri ends the job.
  [[noreturn]] void idle();
  void finalize();

 private:
  void make_communicators();
  void learn_shapes();
  void delay(const Event& event) const;
  void end_like_the_record();

  struct Open {
    MPI_Request handle = MPI_REQUEST_NULL;
    std::vector<Bytes> buffers;
  };
  const Scenario& scenario_;
  std::int32_t rank_;
  const WorkerOptions& options_;
  const RankTrace& trace_;
  std::vector<MPI_Comm> comms_;
  std::unordered_map<std::uint32_t, Open> requests_;
  std::unordered_map<std::int64_t, MPI_Message> messages_;
  std::map<std::pair<std::int32_t, std::string_view>, Shape> shapes_;  // by communicator and family
  std::vector<Bytes> scratch_;
  ReplayLog log_;
  std::size_t index_ = 0;
  MPI_Comm discarded_ = MPI_COMM_NULL;
  bool finalized_ = false;
};

}  // namespace petri

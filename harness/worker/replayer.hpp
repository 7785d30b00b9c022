// One thread of a rank in a replay: performs its events in their order.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/trace/scenario.hpp"
#include "harness/worker/rank.hpp"

namespace petri {

class Replayer {
 public:
  Replayer(Rank& rank, std::size_t lane) : rank_(rank), lane_(lane) {}

  void run();

  const Scenario& scenario() const { return rank_.scenario(); }
  std::int32_t rank() const { return rank_.number(); }
  const RankTrace& trace() const { return rank_.trace(); }
  bool forces_order() const { return !rank_.options().free_order; }

  MPI_Comm comm(std::int32_t index) const { return rank_.holdings().comm(index); }
  MPI_Comm comm_of(const Event& event) const { return comm(event.comm); }
  // Where the handle of the communicator that the event makes goes.
  MPI_Comm* new_comm_of(const Event& event) { return &rank_.holdings().comm(event.extras.new_comm()); }

  MPI_Request& request(std::uint32_t number) { return rank_.holdings().request(number); }
  void forget(std::uint32_t number) { rank_.holdings().forget(number); }
  MPI_Message& message(const Event& event) { return rank_.holdings().message(event.extras.message().value_or(0)); }

  Window& window(const Event& event) { return rank_.holdings().window(event.extras.win()); }
  MPI_File& file(const Event& event) { return rank_.holdings().file(event.extras.file()); }
  Bytes& split_buffer(const Event& event) { return rank_.holdings().split_buffer(event.extras.file()); }
  // Of the replay's own file that stands for the recorded one.
  std::filesystem::path path_of(const Event& event) const { return rank_.path_of(event.extras.file()); }

  // Where the bytes lie from now on: until the next event for a blocking call, else as long as the event's request.
  void* keep(const Event& event, Bytes bytes);

  Shape shape_of(const Event& event) const { return rank_.shapes().of(event); }

  // True when the event at hand never ends by itself (plan.hpp).
  bool endless() const;

  bool on_main_thread() const { return lane_ == 0; }
  // The thread does nothing more of its own; with the main thread, the rank does not either.
  void idle();
  // This thread ends; not for the main one.
  void leave() { left_ = true; }
  void finalize() { rank_.finalize(); }

 private:
  const std::vector<std::size_t>& places() const { return rank_.lanes()[lane_].events; }
  const Event& event_at(std::size_t index) const { return trace().events[places()[index]]; }
  void begin();
  void delay(const Event& event) const;

  Rank& rank_;
  std::size_t lane_;
  std::vector<Bytes> scratch_;
  std::size_t index_ = 0;  // in places()
  bool left_ = false;
};

}  // namespace petri

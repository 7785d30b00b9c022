// How each operation is performed: one table for each family, in a file of its own.
#pragma once

#include <span>

#include "harness/worker/replayer.hpp"

namespace petri {

using Performer = void (*)(Replayer&, const Event&);

struct PerformerRow {
  Op op;
  Performer perform;
};

std::span<const PerformerRow> point_to_point_table();
std::span<const PerformerRow> probe_table();
std::span<const PerformerRow> completion_table();
std::span<const PerformerRow> collective_table();
std::span<const PerformerRow> communicator_table();
std::span<const PerformerRow> intercommunicator_table();
std::span<const PerformerRow> topology_table();
std::span<const PerformerRow> window_table();
std::span<const PerformerRow> rma_table();
std::span<const PerformerRow> file_table();
std::span<const PerformerRow> host_table();
std::span<const PerformerRow> mpi4_table();  // empty where the MPI library has none of MPI 4.0's new calls

// Nothing for an operation that no table has.
Performer performer_of(Op op);

// Repeats `attempt` (true: found, or complete) as the event's record says: until success, a bounded number of times, or
// for ever where the record ends in it.
template <class Attempt>
void poll_as_recorded(const Replayer& replayer, const Event& event, Attempt attempt);

}  // namespace petri

#include "harness/worker/poll.inl.hpp"

// The communicators that this process knows.
#pragma once

#include <cstdint>

#include "harness/record/meetings.hpp"
#include "harness/record/real_mpi.hpp"
#include "harness/trace/op.hpp"

namespace petri::record {

struct CommEntry {
  MPI_Comm handle;
  Venue venue;                             // strict mode; of an intercommunicator, both groups
  std::int32_t id;                         // local number, never used twice
  std::int32_t positions;                  // collectives begun on it
  std::int32_t creations, windows, files;  // that were made from it, by position
  std::int32_t rank, size;                 // of this process in its (local) group
  std::int32_t peers;                      // size of the group that roots and peers are in: the other one's, if any
  std::int32_t sources, destinations;      // neighbours in its topology
  bool inter;
};

// The communicator that was asked for last; most programs use one for long.
extern CommEntry* last_comm;
CommEntry* find_comm(MPI_Comm comm);

// The entry of a handle; registers an unknown one. Nothing for MPI_COMM_NULL. Valid until the communicator is freed.
inline CommEntry* comm_entry(MPI_Comm comm) {
  return last_comm != nullptr && last_comm->handle == comm ? last_comm : find_comm(comm);
}

void learn_world_comms();

// Registers what a creation on `parent` made and writes its fact. `ordinal` is -1 for a creation by group and tag.
// `name` is the string tag of a creation that has one. Returns nothing for MPI_COMM_NULL.
CommEntry* register_created(MPI_Comm made, const CommEntry& parent, Op op, std::int32_t ordinal, int tag,
                            const char* name = nullptr);

// To be called before the communicator is freed.
void forget_comm(MPI_Comm comm);

}  // namespace petri::record

// The communicators that this process knows.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/trace/op.hpp"

namespace petri::record {

struct CommEntry {
  MPI_Comm handle;
  MPI_Comm shadow;          // strict mode: a duplicate for meetings only; else null
  std::int32_t id;          // local number, never used twice
  std::int32_t positions;   // collectives begun on it
  std::int32_t creations;   // communicators that were made from it, by position
  std::int32_t rank, size;  // of this process in its (local) group
  bool shadowed;
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
// Returns nothing for MPI_COMM_NULL.
CommEntry* register_created(MPI_Comm made, const CommEntry& parent, Op op, std::int32_t ordinal, int tag);

// To be called before the communicator is freed.
void forget_comm(MPI_Comm comm);

// Strict mode: nobody leaves a collective that somebody has not reached, and different collectives at one position
// never join: where the members' operations differ, all of them stay, as in a library that synchronizes.
void meet_in_shadow(const CommEntry* comm, Op op);

// Strict mode: makes the shadow of a new communicator; collective over it.
void make_shadow(CommEntry& comm);

}  // namespace petri::record

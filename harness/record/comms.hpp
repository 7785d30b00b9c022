// The communicators that this process knows.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/trace/op.hpp"

namespace petri::record {

// Strict mode: a communicator for meetings only. That of an intercommunicator holds both groups.
struct Shadow {
  MPI_Comm comm;
  std::int32_t size;
  bool there;
};

struct CommEntry {
  MPI_Comm handle;
  Shadow shadow;
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

// Strict mode: nobody leaves a collective that somebody has not reached, and different collectives at one position
// never join: where the members' operations differ, all of them stay, as in a library that synchronizes.
void meet_in(const Shadow& shadow, Op op);

// Strict mode: the shadow of a new communicator, window or file; collective over `comm`.
void make_shadow(Shadow& shadow, MPI_Comm comm);
void drop_shadow(Shadow& shadow);

}  // namespace petri::record

// Strict mode: nobody leaves a collective that somebody has not reached, and the request of one is complete only when
// all members have begun it. Different collectives at one position never join (MPI 4.1, section 6.14): where the
// members' operations or positions differ, all of them stay, as in a library that synchronizes.
//
// Each member tells all others directly where it is, in messages that need nobody's help to arrive. So a rank that is
// blocked elsewhere holds up nobody whom it has told, and nothing has to be set up by all members together.
#pragma once

#include <cstdint>

#include "harness/record/real_mpi.hpp"
#include "harness/trace/op.hpp"

namespace petri::record {

// Where calls meet: a communicator, window, file or the starts of a persistent request.
struct Venue {
  std::uint64_t name;  // the same on all members; 0: unknown, and nobody waits there
  int* members;        // world ranks; owned
  std::int32_t size;
};

// Takes over `members`, which come from malloc and may be null.
Venue make_venue(std::uint64_t name, int* members, std::int32_t size);
// What is made at `venue` as its so-manieth thing of this kind, with the same members.
Venue venue_within(const Venue& venue, char kind, std::int32_t ordinal);
void drop_venue(Venue& venue);
std::uint64_t mixed(std::uint64_t name, std::uint64_t value);

// After MPI_Init; collective over the world.
void open_board();

struct Meeting;
// Says to all members that this rank is there. Nothing where nobody waits.
Meeting* join_meeting(const Venue& venue, std::int32_t position, Op op);
// Everybody is there, for the same operation. Also takes in what other ranks have said.
bool is_over(const Meeting* meeting);
void leave_meeting(Meeting* meeting);
// All of it: stays until everybody is there.
void meet_at(const Venue& venue, std::int32_t position, Op op);

// Between two looks at something that others have to do; `looks` counts them.
void nap(unsigned looks);

}  // namespace petri::record

// Recorded arguments as a scenario has them. What no MPI accepts cannot stand in one; the call's error does.
#pragma once

#include <cstdint>
#include <limits>

#include "harness/trace/event.hpp"
#include "harness/trace/scenario.hpp"

namespace petri {

template <class Enum>
Enum enum_or_unknown(std::uint8_t value, Enum last) {
  return value <= static_cast<std::uint8_t>(last) ? static_cast<Enum>(value) : Enum::unknown;
}

inline ElementType type_of(std::uint8_t value) {
  return enum_or_unknown(value, ElementType::longdouble_int);
}

// How many ranks a member may name as peers or roots.
inline std::int32_t peers_in(const Communicator& comm, std::int32_t member) {
  return comm.known ? static_cast<std::int32_t>(comm.peers_of(member).size())
                    : std::numeric_limits<std::int32_t>::max();
}

inline std::int32_t valid_rank(std::int32_t rank, std::int32_t peers) {
  if (rank == kAny || rank == kNull || rank == kRootHere) return rank;
  return rank >= 0 && rank < peers ? rank : kUnset;
}

// "root" and "null" say something on an intercommunicator only.
inline std::int32_t valid_root(std::int32_t rank, const Communicator& comm, std::int32_t peers) {
  if (rank == kAny || (comm.known && !comm.is_inter() && (rank == kNull || rank == kRootHere))) return kUnset;
  return valid_rank(rank, peers);
}

inline std::int32_t valid_target(std::int32_t rank, std::int32_t peers) {
  return rank == kAny || rank == kRootHere ? kUnset : valid_rank(rank, peers);
}

inline std::int32_t valid_tag(std::int32_t tag) {
  return tag >= 0 || tag == kAny ? tag : kUnset;
}

inline std::int64_t valid_count(std::int64_t count) {
  return count >= 0 ? count : kUnknownCount;
}

}  // namespace petri

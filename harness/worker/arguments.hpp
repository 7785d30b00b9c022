// Arguments of calls, from a scenario's words to MPI's.
#pragma once

#include <cstdint>

#include "harness/worker/payload.hpp"
#include "harness/worker/replayer.hpp"

namespace petri {

// Values of rank and tag arguments as MPI's.
int mpi_rank(std::int32_t value);
int mpi_tag(std::int32_t value);

// The first of two that is known.
std::int32_t or_else(std::int32_t value, std::int32_t other);
ElementType or_else(ElementType value, ElementType other);

// Whom a receive or probe names: what its wildcard got, where the replay forces the order.
int mpi_source(const Replayer& replayer, const Event& event, std::int32_t peer);

// The two sides of a point-to-point call.
Shape sent_shape(const Event& event);
Shape received_shape(const Event& event);

// Both ends of a sendrecv.
struct Ends {
  int destination, send_tag, source, recv_tag;
};
Ends ends_of(const Replayer& replayer, const Event& event);

// A buffer to send from, and one to receive into: living until the next event, or as long as the event's request.
void* bytes_to_send(Replayer& replayer, const Event& event, Shape shape);
void* room_for(Replayer& replayer, const Event& event, Shape shape);

}  // namespace petri

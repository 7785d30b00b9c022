#include "harness/worker/arguments.hpp"

#include "harness/worker/plan/memory.hpp"

namespace petri {
namespace {

// A receive of unknown size must not fail because of that: it has room for this much.
constexpr int kRoom = 1 << 20;

int or_else(std::int64_t value, std::int64_t other, int standard) {
  const std::int64_t known = value != kUnknownCount ? value : other;
  return known == kUnknownCount ? standard : static_cast<int>(known);
}

}  // namespace

int mpi_rank(std::int32_t value) {
  if (value == kAny) return MPI_ANY_SOURCE;
  if (value == kRootHere) return MPI_ROOT;
  return value == kNull || value == kUnset ? MPI_PROC_NULL : value;
}

int mpi_tag(std::int32_t value) {
  return value == kAny ? MPI_ANY_TAG : value == kUnset ? 0 : value;
}

std::int32_t or_else(std::int32_t value, std::int32_t other) {
  return value != kUnset ? value : other;
}

ElementType or_else(ElementType value, ElementType other) {
  return value != ElementType::unknown ? value : other;
}

int mpi_source(const Replayer& replayer, const Event& event, std::int32_t peer) {
  const bool forced = replayer.forces_order() && peer == kAny && event.extras.matched() != kUnset;
  return mpi_rank(forced ? event.extras.matched() : peer);
}

Shape sent_shape(const Event& event) {
  return {or_else(event.extras.sendcount(), event.count, 1), or_else(event.extras.sendtype(), event.dtype)};
}

Shape received_shape(const Event& event) {
  const ElementType type = or_else(event.extras.recvtype(), event.dtype);
  const int room = kRoom / static_cast<int>(bytes_of_element(type));
  return {or_else(event.extras.recvcount(), event.count, room), type};
}

Ends ends_of(const Replayer& replayer, const Event& event) {
  const EventExtras& extras = event.extras;
  return {mpi_rank(or_else(extras.sendpeer(), event.peer)), mpi_tag(or_else(extras.sendtag(), event.tag)),
          mpi_source(replayer, event, or_else(extras.recvpeer(), event.peer)),
          mpi_tag(or_else(extras.recvtag(), event.tag))};
}

void* bytes_to_send(Replayer& replayer, const Event& event, Shape shape) {
  return replayer.keep(event, payload_of(event, replayer.rank(), shape.type, static_cast<std::size_t>(shape.count)));
}

void* room_for(Replayer& replayer, const Event& event, Shape shape) {
  return replayer.keep(event, Bytes(bytes_of_element(shape.type) * static_cast<std::size_t>(shape.count)));
}

}  // namespace petri

// What is made over a communicator by all its members and has collectives of its own: windows and open files.
#pragma once

#include "harness/record/pointer_map.hpp"
#include "harness/record/recorder.hpp"
#include "harness/record/strict.hpp"

namespace petri::record {

// Named by the communicator that it was made over, which may be gone, and its ordinal among those of its kind.
struct CommObject {
  Venue venue;  // strict mode
  std::int32_t comm, ordinal;
  std::int32_t positions;  // collectives begun on it
};

class CommObjects {
 public:
  // Nothing for what no recorded call made. Valid until it is forgotten.
  template <class Handle>
  CommObject* find(Handle handle) {
    CommObject** known = objects_.find(key_of(handle));
    return known != nullptr ? *known : nullptr;
  }
  template <class Handle>
  CommObject* add(Handle handle, const CommEntry& comm, std::int32_t ordinal) {
    auto* object = static_cast<CommObject*>(std::calloc(1, sizeof(CommObject)));
    if (object == nullptr || objects_.insert(key_of(handle), object) == nullptr) return nullptr;
    object->comm = comm.id;
    object->ordinal = ordinal;
    return object;
  }
  // To be called before it is freed.
  template <class Handle>
  void forget(Handle handle) {
    CommObject* object = find(handle);
    if (object == nullptr) return;
    objects_.erase(key_of(handle));
    drop_venue(object->venue);
    std::free(object);
  }

 private:
  PointerMap<CommObject*> objects_;
};

extern CommObjects windows, files;

// Says what a call is on, …
template <class Handle>
CommObject* describe_object(Call& call, CommObjects& objects, Handle handle) {
  if (!call.active()) return nullptr;
  CommObject* object = objects.find(handle);
  call.slot().comm = object != nullptr ? object->comm : kNoLocalComm;
  if (object != nullptr) call.slot().result = object->ordinal;
  return object;
}

// … and, of a collective, which one on it.
inline void describe_position(Call& call, CommObject* object) {
  if (object != nullptr) call.takes_place(object->venue, object->positions++);
}

// A call that makes an object, by all members of `comm`; `ordinals` counts those of its kind on the communicator.
template <class Handle, class Create>
int make_object(Call& call, CommObjects& objects, const Handle* made, std::int32_t CommEntry::*ordinals,
                const Create& create) {
  call.positional();
  CommEntry* comm = call.active() ? call.comm() : nullptr;
  const std::int32_t ordinal = comm != nullptr ? comm->*ordinals : 0;
  if (comm != nullptr) call.slot().result = (comm->*ordinals)++;
  call.begin();
  meet(call);
  const int status = create();
  if (comm != nullptr && status == MPI_SUCCESS) {
    const Locked locked;
    if (CommObject* object = objects.add(*made, *comm, ordinal))
      object->venue = venue_within(comm->venue, &objects == &windows ? 'w' : 'f', ordinal);
  }
  return call.end(status);
}

// A collective on an object, described but for its position.
template <class Collective>
int run(Call& call, CommObject* object, const Collective& collective) {
  describe_position(call, object);
  call.begin();
  meet(call);
  return call.end(collective());
}

}  // namespace petri::record

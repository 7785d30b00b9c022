// One collective call, whatever its form and whatever kind of communicator it is on: arguments, buffers that live long
// enough, and where the request goes.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "harness/worker/replayer.hpp"

// The three forms of a collective, as arguments of CollectiveCall::make. Persistent collectives are MPI 4.0's; Open MPI
// 4.1 has them as extensions.
#if PETRI_MPI_HAS_4_0_CALLS
#define PETRI_FORMS(name, inonblocking) MPI_##name, MPI_##inonblocking, MPI_##name##_init
#else
#include <mpi-ext.h>
#define PETRI_FORMS(name, inonblocking) MPI_##name, MPI_##inonblocking, MPIX_##name##_init
#endif

namespace petri {

class CollectiveCall {
 public:
  CollectiveCall(Replayer& replayer, const Event& event);

  MPI_Comm comm;
  int root, send_count, recv_count;
  MPI_Datatype send_type, recv_type;
  MPI_Op op;
  // Blocks that a call with one for each process sends and receives: of the members, of the other group on an
  // intercommunicator, or of the neighbours.
  int destinations = 0, sources = 0;
  int members = 0;  // of this process's own group

  // Buffers for so many elements, or for one block.
  void* sent(std::size_t elements);
  void* room(std::size_t elements);
  void* sent() { return sent(static_cast<std::size_t>(send_count)); }
  void* room() { return room(static_cast<std::size_t>(recv_count)); }
  void* sent_to_all() { return sent(times(send_count, destinations)); }
  void* room_for_all() { return room(times(recv_count, sources)); }
  static std::size_t times(int count, int blocks) {
    return static_cast<std::size_t>(count) * static_cast<std::size_t>(blocks);
  }

  // Counts and displacements of a v-variant, one for each block. They live as long as the buffers: a nonblocking call
  // reads them until it is complete (MPI 4.1, section 6.12).
  template <class Displacement>
  struct Layout {
    int* counts;
    Displacement* displacements;
    std::size_t total;  // elements
  };
  Layout<int> sent_to_each();
  Layout<int> received_from_each();
  Layout<int> scattered_to_each();  // of a reduce_scatter, which names the blocks of the own group on all kinds
  // Of a w-variant: displacements are bytes, and each block has a type.
  template <class Displacement>
  Layout<Displacement> bytes_to_each();
  template <class Displacement>
  Layout<Displacement> bytes_from_each();
  MPI_Datatype* types(MPI_Datatype type, int blocks);

  // What this rank itself sends or receives of a list, where its own count is not recorded.
  int own(std::int64_t recorded, const Layout<int>& list) const;

  template <class Blocking, class Nonblocking, class Persistent, class... Arguments>
  void make(Blocking blocking, Nonblocking nonblocking, Persistent persistent, Arguments... arguments) {
    switch (form_of(event_.op)) {
      case OpForm::blocking: blocking(arguments...); break;
      case OpForm::nonblocking: nonblocking(arguments..., request()); break;
      case OpForm::persistent: persistent(arguments..., MPI_INFO_NULL, request()); break;
    }
  }

  const Event& event() const { return event_; }

 private:
  MPI_Request* request() { return &replayer_.request(event_.request); }
  void learn_blocks();
  void learn_neighbours();
  template <class Displacement>
  Layout<Displacement> layout(const std::vector<std::int64_t>& listed, int each, int blocks, std::size_t unit);
  template <class T>
  T* kept(const std::vector<T>& values);

  Replayer& replayer_;
  const Event& event_;
  Shape out_, in_;
};

}  // namespace petri

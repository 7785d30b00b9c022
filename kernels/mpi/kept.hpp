// What the library keeps inside MPI: with each communicator that it was called on, and for the whole process. All of it
// is given back when the communicator is freed, the rest at MPI_Finalize (MPI 4.1, section 11.2.4: the attributes of
// MPI_COMM_SELF go first, while MPI still works).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

namespace petri::mpi {

// Throws MpiError for any code but MPI_SUCCESS.
void check(int code);

// The library's own side of a user's communicator.
class Channel {
 public:
  // Collective over `user` at the first call, which makes the channel. MPI_ERR_COMM unless it is an intracommunicator.
  static Channel& of(MPI_Comm user);

  explicit Channel(MPI_Comm user);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // The same ranks in the same order; none of the user's messages, attributes and error handlers.
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  // Working memory, the same at each call: a new one each time would be mapped page by page, which takes as long as the
  // sums do.
  std::byte* memory(std::size_t bytes);

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  std::size_t capacity_ = 0;
  std::unique_ptr<std::byte[]> memory_;
};

// A committed datatype of `words` MPI_UINT64_T, freed at MPI_Finalize.
MPI_Datatype kept_words(int words);
// A commutative operation, freed at MPI_Finalize.
MPI_Op kept_operation(MPI_User_function* function);

}  // namespace petri::mpi

// Reproducible sums over the ranks of a communicator: the same bits for any number and order of ranks, any placement on
// hosts, any algorithm of the MPI library and any width of vectors, because every sum is the real one, rounded once.
//
//   find_package(Petri REQUIRED COMPONENTS reproducible)
//   target_link_libraries(program PRIVATE Petri::reproducible)
//
//   #include <petri/reproducible.hpp>
//   petri::reproducible_allreduce(std::span<float>(gradient), MPI_COMM_WORLD);
//
// Bits. A sum is the real sum of its terms, rounded to nearest, ties to even; so its error is at most half a unit in
// the last place of the result, whatever the condition of the data, and nothing overflows on the way. A NaN among the
// terms, or infinities of both signs, give the quiet NaN with no sign and no payload; infinities of one sign give that
// infinity. A sum of terms that are all -0 is -0, any other zero sum is +0, and so is the sum of nothing. Subnormal
// numbers count in full, and rounding is to nearest, whatever the calling thread has set.
//
// Calls are collective over `comm`, an intracommunicator, and block as MPI_Allreduce does; they need MPI to be
// initialized, and threads as MPI's own collectives do. The first call on a communicator makes a second one of the same
// group, for the library's messages alone, and keeps it until the communicator is freed or MPI is finalized. With it
// goes working memory: at most 2 MiB for up to 256 ranks, and 8 KiB for each rank of more.
//
// Errors are MPI's: the error handler of `comm` is called, and where it returns (MPI_ERRORS_RETURN), MpiError is
// thrown. As with MPI, communication is then in an undefined state.
//
// C++20; this header and the library need nothing else of Petri.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

#define PETRI_PUBLIC __attribute__((visibility("default")))

namespace petri {

class PETRI_PUBLIC MpiError : public std::runtime_error {
 public:
  explicit MpiError(int code);  // the text is MPI_Error_string's
  int code() const noexcept { return code_; }

 private:
  int code_;
};

// receive[i] = the sum of all ranks' send[i]. Both have the same length, which is the same on all ranks. They may be
// the same memory, but must not overlap otherwise: MPI_ERR_COUNT, MPI_ERR_BUFFER.
PETRI_PUBLIC void reproducible_allreduce(std::span<const float> send, std::span<float> receive, MPI_Comm comm);
PETRI_PUBLIC void reproducible_allreduce(std::span<const double> send, std::span<double> receive, MPI_Comm comm);

// In place, as with MPI_IN_PLACE.
PETRI_PUBLIC void reproducible_allreduce(std::span<float> values, MPI_Comm comm);
PETRI_PUBLIC void reproducible_allreduce(std::span<double> values, MPI_Comm comm);

// The sum of all elements of all ranks, on every rank: the same bits however the data is spread over them. Ranks may
// have different numbers of elements, also none.
PETRI_PUBLIC float reproducible_sum(std::span<const float> elements, MPI_Comm comm);
PETRI_PUBLIC double reproducible_sum(std::span<const double> elements, MPI_Comm comm);

// A sum under way, for what the functions above do not do: MPI_Reduce, MPI_Scan, MPI_Iallreduce, files. Made from the
// same elements in whatever order and grouping, two of them have equal bytes. For float and double.
//
//   petri::ReproducibleSum<double> mine, prefix;
//   mine.add(elements);
//   MPI_Scan(&mine, &prefix, 1, mine.datatype(), mine.operation(), comm);
template <class T>
class PETRI_PUBLIC ReproducibleSum {
 public:
  void add(std::span<const T> elements);
  void add(const ReproducibleSum& other);
  T rounded() const;

  // Of MPI_UINT64_T, so that it passes between machines of either byte order. Both belong to the library, which frees
  // them at MPI_Finalize. The operation is commutative.
  static MPI_Datatype datatype();
  static MPI_Op operation();

  friend bool operator==(const ReproducibleSum&, const ReproducibleSum&) = default;

 private:
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  std::array<std::uint64_t, std::is_same_v<T, double> ? 35 : 7> words_{};
};

extern template class ReproducibleSum<float>;
extern template class ReproducibleSum<double>;

}  // namespace petri

#undef PETRI_PUBLIC

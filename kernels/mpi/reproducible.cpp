#include "kernels/mpi/reproducible.hpp"

#include <array>
#include <bit>
#include <functional>
#include <string>

#include "kernels/cpu/exact_sum.hpp"
#include "kernels/mpi/column_exchange.hpp"
#include "kernels/mpi/kept.hpp"

namespace petri {
namespace {

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "MPI error " + std::to_string(code);
  return {text.data(), static_cast<std::size_t>(length)};
}

// An MpiError of `body` goes to the communicator's error handler first, which ends the program unless told otherwise.
template <class Body>
auto as_mpi_call(MPI_Comm comm, const Body& body) {
  try {
    return body();
  } catch (const MpiError& error) {
    // MPI_COMM_SELF's is where errors without a communicator go (MPI 4.1, section 9.3).
    MPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_SELF : comm, error.code());
    throw;
  }
}

template <class T>
void check_buffers(std::span<const T> send, std::span<T> receive) {
  if (send.size() != receive.size()) throw MpiError(MPI_ERR_COUNT);
  const std::less<const T*> before;
  const bool apart =
      !before(send.data(), receive.data() + receive.size()) || !before(receive.data(), send.data() + send.size());
  if (!apart && send.data() != receive.data()) throw MpiError(MPI_ERR_BUFFER);
}

template <class T>
void allreduce(std::span<const T> send, std::span<T> receive, MPI_Comm comm) {
  as_mpi_call(comm, [&] {
    check_buffers(send, receive);
    mpi::allreduce_by_columns<T>(mpi::Channel::of(comm), send.data(), receive.data(), send.size());
  });
}

template <class T>
T sum_over(std::span<const T> elements, MPI_Comm comm) {
  return as_mpi_call(comm, [&] {
    ReproducibleSum<T> mine, all;
    mine.add(elements);
    const MPI_Comm channel = mpi::Channel::of(comm).comm();
    mpi::check(MPI_Allreduce(&mine, &all, 1, mine.datatype(), mine.operation(), channel));
    return all.rounded();
  });
}

template <class T>
void combine(void* invec, void* inoutvec, int* length, MPI_Datatype* /*type*/) {
  const auto* left = static_cast<const ReproducibleSum<T>*>(invec);
  auto* right = static_cast<ReproducibleSum<T>*>(inoutvec);
  for (int i = 0; i < *length; ++i) right[i].add(left[i]);
}

}  // namespace

MpiError::MpiError(int code) : std::runtime_error(text_of(code)), code_(code) {}

void reproducible_allreduce(std::span<const float> send, std::span<float> receive, MPI_Comm comm) {
  allreduce(send, receive, comm);
}
void reproducible_allreduce(std::span<const double> send, std::span<double> receive, MPI_Comm comm) {
  allreduce(send, receive, comm);
}
void reproducible_allreduce(std::span<float> values, MPI_Comm comm) {
  allreduce<float>(values, values, comm);
}
void reproducible_allreduce(std::span<double> values, MPI_Comm comm) {
  allreduce<double>(values, values, comm);
}

float reproducible_sum(std::span<const float> elements, MPI_Comm comm) {
  return sum_over(elements, comm);
}
double reproducible_sum(std::span<const double> elements, MPI_Comm comm) {
  return sum_over(elements, comm);
}

// The words are those of an ExactSum, which is a plain value, and of which all zeros is the sum of nothing.
template <class T>
void ReproducibleSum<T>::add(std::span<const T> elements) {
  auto sum = std::bit_cast<kernels::ExactSum<T>>(words_);
  sum.add(elements);
  words_ = std::bit_cast<decltype(words_)>(sum);
}

template <class T>
void ReproducibleSum<T>::add(const ReproducibleSum& other) {
  auto sum = std::bit_cast<kernels::ExactSum<T>>(words_);
  sum.add(std::bit_cast<kernels::ExactSum<T>>(other.words_));
  words_ = std::bit_cast<decltype(words_)>(sum);
}

template <class T>
T ReproducibleSum<T>::rounded() const {
  return std::bit_cast<kernels::ExactSum<T>>(words_).rounded();
}

template <class T>
MPI_Datatype ReproducibleSum<T>::datatype() {
  static const MPI_Datatype type = mpi::kept_words(static_cast<int>(std::tuple_size_v<decltype(words_)>));
  return type;
}

template <class T>
MPI_Op ReproducibleSum<T>::operation() {
  static const MPI_Op operation = mpi::kept_operation(combine<T>);
  return operation;
}

template class ReproducibleSum<float>;
template class ReproducibleSum<double>;

}  // namespace petri

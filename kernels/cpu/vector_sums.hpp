// Rounded sums by vector instructions, for float and double and in the caller's floating-point environment. The
// contracts are those of sums.hpp.
#pragma once

#include <cstddef>

namespace petri::kernels {

template <class T>
T plain_vector_sum(const T* elements, std::size_t count);

template <class T>
T pairwise_vector_sum(const T* elements, std::size_t count);

// The compensated sum before its last addition: the sum is head + tail.
template <class T>
struct Compensated {
  T head = -T{0}, tail = 0;
};
template <class T>
Compensated<T> compensated_vector_sum(const T* elements, std::size_t count);

}  // namespace petri::kernels

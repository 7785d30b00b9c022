// An allreduce whose sums are made once, from all contributions at a time: what an exact sum needs to be as cheap as a
// rounded one.
//
// Each rank gets all contributions to its block of the vector, sums them, and gives the result to all: twice (P-1)/P of
// the vector is sent and received, as by the best algorithms for long vectors (Thakur, Rabenseifner and Gropp 2005). It
// goes tile by tile, so that the working memory is bounded and what has arrived is still in the cache when it is
// summed, and while one tile is summed and given out, the contributions to the next one travel.
#pragma once

#include <cstddef>

#include "kernels/mpi/kept.hpp"

namespace petri::mpi {

// For float and double. `send` may be `receive`.
template <class T>
void allreduce_by_columns(Channel& channel, const T* send, T* receive, std::size_t count);

}  // namespace petri::mpi

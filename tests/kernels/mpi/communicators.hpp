// Communicators of every size and order that the ranks at hand can make, and what ranks contribute there.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace petri::test {

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// The first `size` ranks of the world in an order drawn by `seed` (0: as they are). MPI_COMM_NULL on the others.
class Shuffled {
 public:
  Shuffled(int size, unsigned seed) {
    std::vector<int> places(static_cast<std::size_t>(size));
    std::iota(places.begin(), places.end(), 0);
    std::mt19937 chance(seed);
    if (seed != 0) std::shuffle(places.begin(), places.end(), chance);
    const int world_rank = rank_in(MPI_COMM_WORLD);
    const bool in = world_rank < size;
    MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, in ? places[static_cast<std::size_t>(world_rank)] : 0,
                   &comm);
  }
  ~Shuffled() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  Shuffled(const Shuffled&) = delete;
  Shuffled& operator=(const Shuffled&) = delete;

  explicit operator bool() const { return comm != MPI_COMM_NULL; }
  MPI_Comm comm = MPI_COMM_NULL;
};

// What contributor `index` gives: magnitudes that lie far apart, whose sums cancel, and now and then a special value.
template <class T>
std::vector<T> contribution(std::size_t count, int index) {
  std::mt19937_64 chance(static_cast<std::uint64_t>(index) + 1);
  std::normal_distribution<T> normal;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> special = {T(0),
                                  -T(0),
                                  Limits::denorm_min(),
                                  -Limits::min(),
                                  Limits::max(),
                                  -Limits::max(),
                                  Limits::infinity(),
                                  -Limits::infinity(),
                                  Limits::quiet_NaN(),
                                  -Limits::quiet_NaN()};
  std::vector<T> elements(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = chance();
    // Every sixteenth column holds special values only, so that -0 and infinities also meet their own kind.
    if (i % 16 == 5)
      elements[i] = special[i / 16 % 2 == 0 ? draw % special.size() : i / 32 % special.size()];
    else if (i % 16 == 9)
      elements[i] = std::ldexp(normal(chance), static_cast<int>(draw % 200) - 100);
    else
      elements[i] = normal(chance) + (index % 2 == 0 ? T(1e6) : -T(1e6));
  }
  return elements;
}

}  // namespace petri::test

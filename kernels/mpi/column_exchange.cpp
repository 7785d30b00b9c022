#include "kernels/mpi/column_exchange.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/cpu/row_sums.hpp"

namespace petri::mpi {
namespace {

// As long as all contributions together are no longer than this, everybody gets them all: one step in place of two.
constexpr std::size_t kShortBytes = 32 << 10;
// A tile: long enough that a message's cost does not count, and two of them fit into the second-level cache of a core.
constexpr std::size_t kTileBytes = 1 << 20;
// But no block is shorter than this, however many ranks there are.
constexpr std::size_t kLeastBlockBytes = 4 << 10;

enum Tag : int { contributions, results };

template <class T>
MPI_Datatype type_of() {
  return std::is_same_v<T, double> ? MPI_DOUBLE : MPI_FLOAT;
}

struct Range {
  std::size_t first = 0, count = 0;
};

// The part `index` of `parts` that differ in length by one at most, the longer ones first.
Range part_of(Range whole, std::size_t parts, std::size_t index) {
  const std::size_t length = whole.count / parts, longer = whole.count % parts;
  return {whole.first + length * index + std::min(index, longer), length + (index < longer ? 1 : 0)};
}

// Messages under way.
class Messages {
 public:
  explicit Messages(MPI_Comm comm) : comm_(comm) {}

  template <class T>
  void send(const T* from, std::size_t count, int to, Tag tag) {
    if (count == 0) return;
    check(MPI_Isend(from, static_cast<int>(count), type_of<T>(), to, tag, comm_, &requests_.emplace_back()));
  }
  template <class T>
  void receive(T* to, std::size_t count, int from, Tag tag) {
    if (count == 0) return;
    check(MPI_Irecv(to, static_cast<int>(count), type_of<T>(), from, tag, comm_, &requests_.emplace_back()));
  }
  void wait() {
    check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
    requests_.clear();
  }

 private:
  MPI_Comm comm_;
  std::vector<MPI_Request> requests_;
};

template <class T>
class Tiles {
 public:
  Tiles(Channel& channel, const T* send, T* receive, std::size_t count)
      : send_(send),
        receive_(receive),
        count_(count),
        rank_(channel.rank()),
        size_(channel.size()),
        tiles_((count - 1) / longest_tile() + 1),
        arriving_{Messages(channel.comm()), Messages(channel.comm())},
        leaving_(channel.comm()),
        rows_(static_cast<std::size_t>(size_)) {
    const std::size_t block = block_of(0, 0).count;  // none is longer
    const std::size_t half = block * static_cast<std::size_t>(size_ - 1);
    T* const memory = reinterpret_cast<T*>(channel.memory(std::min<std::size_t>(tiles_, 2) * half * sizeof(T)));
    arrived_ = {memory, memory + half};
  }

  void run() {
    exchange(0);
    for (std::size_t tile = 0; tile < tiles_; ++tile) {
      if (tile + 1 < tiles_) exchange(tile + 1);
      arriving_[tile % 2].wait();
      sum(tile);
      leaving_.wait();
      give_out(tile);
    }
    leaving_.wait();
  }

 private:
  std::size_t longest_tile() const {
    return std::max(kTileBytes, kLeastBlockBytes * static_cast<std::size_t>(size_)) / sizeof(T);
  }
  Range block_of(std::size_t tile, int rank) const {
    return part_of(part_of({0, count_}, tiles_, tile), static_cast<std::size_t>(size_), static_cast<std::size_t>(rank));
  }
  // The others in an order in which each rank has another one for its first, second … peer.
  int ahead(int distance) const { return (rank_ + distance) % size_; }
  int behind(int distance) const { return (rank_ - distance + size_) % size_; }
  T* row(std::size_t tile, int distance) const {
    return arrived_[tile % 2] + static_cast<std::size_t>(distance - 1) * block_of(tile, rank_).count;
  }

  void exchange(std::size_t tile) {
    for (int distance = 1; distance < size_; ++distance)
      arriving_[tile % 2].receive(row(tile, distance), block_of(tile, rank_).count, behind(distance), contributions);
    for (int distance = 1; distance < size_; ++distance) {
      const Range block = block_of(tile, ahead(distance));
      arriving_[tile % 2].send(send_ + block.first, block.count, ahead(distance), contributions);
    }
  }

  void sum(std::size_t tile) {
    const Range mine = block_of(tile, rank_);
    rows_[0] = send_ + mine.first;
    for (int distance = 1; distance < size_; ++distance)
      rows_[static_cast<std::size_t>(distance)] = row(tile, distance);
    kernels::exact_sum_rows<T>(rows_, mine.count, receive_ + mine.first);
  }

  // In place, results overwrite what the exchange of this tile has sent; that has been waited for.
  void give_out(std::size_t tile) {
    const Range mine = block_of(tile, rank_);
    for (int distance = 1; distance < size_; ++distance) {
      const Range block = block_of(tile, behind(distance));
      leaving_.receive(receive_ + block.first, block.count, behind(distance), results);
    }
    for (int distance = 1; distance < size_; ++distance)
      leaving_.send(receive_ + mine.first, mine.count, ahead(distance), results);
  }

  const T* send_;
  T* receive_;
  std::size_t count_;
  int rank_, size_;
  std::size_t tiles_;
  std::array<Messages, 2> arriving_;  // contributions to tiles of even and of odd number
  Messages leaving_;
  std::array<T*, 2> arrived_{};
  std::vector<const T*> rows_;
};

template <class T>
void sum_all_contributions(Channel& channel, const T* send, T* receive, std::size_t count) {
  const auto size = static_cast<std::size_t>(channel.size());
  T* const all = reinterpret_cast<T*>(channel.memory(size * count * sizeof(T)));
  const int n = static_cast<int>(count);
  check(MPI_Allgather(send, n, type_of<T>(), all, n, type_of<T>(), channel.comm()));
  std::vector<const T*> rows(size);
  for (std::size_t r = 0; r < size; ++r) rows[r] = all + r * count;
  kernels::exact_sum_rows<T>(rows, count, receive);
}

}  // namespace

template <class T>
void allreduce_by_columns(Channel& channel, const T* send, T* receive, std::size_t count) {
  if (count == 0) return;
  if (channel.size() == 1)
    kernels::exact_sum_rows<T>(std::array{send}, count, receive);
  else if (count <= kShortBytes / sizeof(T) / static_cast<std::size_t>(channel.size()))
    sum_all_contributions(channel, send, receive, count);
  else
    Tiles<T>(channel, send, receive, count).run();
}

template void allreduce_by_columns(Channel&, const float*, float*, std::size_t);
template void allreduce_by_columns(Channel&, const double*, double*, std::size_t);

}  // namespace petri::mpi

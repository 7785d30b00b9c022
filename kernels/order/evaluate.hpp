// Evaluates an order element by element, without the processes that a library would need for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/order/order.hpp"
#include "kernels/order/schedule.hpp"

namespace petri::order {

// Writes `count` elements from `first` on of one rank's contribution to `out`, in the arithmetic's element type.
using Contribution = std::function<void(std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out)>;

// Takes memory for a few tiles of at most kTile elements, not for the vector. Not to be shared between threads, but its
// copies are independent, and share what the trees were turned into. The order must outlive it.
class Evaluator {
 public:
  // Elements that are combined at a time: they stay in the cache.
  static constexpr std::size_t kTile = 8192;

  // `rank` is whose view is evaluated. Throws std::invalid_argument where that or one of its trees is not whole.
  Evaluator(const Order& order, const kernels::Arithmetic& arithmetic, std::int32_t rank = 0);

  // The result of `count` elements from `first` on. Any pieces give the same bits as the whole.
  void evaluate(const Contribution& contribution, std::uint64_t first, std::uint64_t count, std::byte* result);

 private:
  void evaluate_tile(const Contribution& contribution, const Part& part, std::uint64_t first, std::size_t count,
                     std::byte* result);
  // The elements of a tile that lie in the vector body of the call, and those in its scalar tail.
  void combine(const Call& call, std::uint64_t offset, const std::byte* left, std::byte* right,
               std::size_t count) const;
  // One step with the sides at these levels of the stack.
  void step(const Call& call, std::uint64_t offset, std::size_t left, std::size_t right, std::size_t count);
  void load(const Contribution& contribution, std::int32_t rank, std::uint64_t first, std::size_t count);
  std::byte* place(std::size_t level);

  const Order& order_;
  const View& view_;
  kernels::Arithmetic arithmetic_;
  std::shared_ptr<const std::map<std::uint32_t, Schedule>> schedules_;  // by tree
  std::vector<std::vector<std::byte>> tiles_;                           // by depth of the stack
  std::vector<bool> bare_;         // by depth: a contribution that is still to be scaled
  std::vector<std::byte> narrow_;  // a contribution before it is widened
  std::size_t height_ = 0;         // of the stack
  std::size_t room_ = 0;           // of a tile, in elements
};

}  // namespace petri::order

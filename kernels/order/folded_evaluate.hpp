// Evaluates an order on several processes, each of which has the contributions of a block of the logical ranks: the
// same bits as an Evaluator's, in memory for a few tiles.
//
// The work is cut into tasks: one piece (folding.hpp) of one tile. All processes walk all tasks in one total order, in
// which every task comes after those whose results it takes. A process computes its own tasks, and sends each result
// away; at another's task whose result it will take, it expects a message. So messages between two processes come in
// the order in which they are expected, and nobody waits in a circle, even if a message had to wait for its receiver:
// the first task in the order that is not done has all it needs. Tasks of later stages are put off by a few tiles
// each, so that processes have other tiles to work on while results travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/order/evaluate.hpp"
#include "kernels/order/folding.hpp"
#include "kernels/order/order.hpp"

namespace petri::order {

// One process's way to the others. Messages from one process to another arrive in the order in which they were sent.
class Link {
 public:
  virtual ~Link() = default;
  // May wait until the receiver expects the message.
  virtual void send(std::int32_t process, std::vector<std::byte> message) = 0;
  // The next message from `process`. Does not wait; the number is for take().
  virtual std::size_t expect(std::int32_t process, std::size_t bytes) = 0;
  // Waits until that message is there.
  virtual std::vector<std::byte> take(std::size_t expected) = 0;
};

// Takes the result piece by piece, in ascending order, on process 0 alone.
using Consumer = std::function<void(std::uint64_t first, std::size_t count, const std::byte* elements)>;

// Called on all processes with equal arguments but for `process`, `link`, and `contribution`, which is asked for the
// process's own logical ranks only. `view` is the logical rank whose view is evaluated. Throws std::invalid_argument
// where the order is not whole, or the arithmetic scales in fused steps, whose operands differ from their results.
void evaluate_folded(const Order& order, const kernels::Arithmetic& arithmetic, std::int32_t processes,
                     std::int32_t process, const Contribution& contribution, Link& link, const Consumer& consume,
                     std::int32_t view = 0);

}  // namespace petri::order

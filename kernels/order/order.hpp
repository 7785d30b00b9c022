// A reduction order as a value: the association tree of every element, for one algorithm on one shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/order/determinism.hpp"
#include "kernels/order/tree.hpp"
#include "kernels/types/element_type.hpp"

namespace petri::order {

// What an algorithm decides by.
struct Shape {
  std::int32_t ranks = 1;
  std::uint64_t count = 0;                  // elements of the whole vector
  ElementType type = ElementType::float32;  // algorithms cut by bytes
  std::vector<std::int32_t> hosts = {};     // host of each rank, numbered by first appearance; empty: one host
  std::size_t size_of_element() const { return size_of(type); }
};

// One call of a library's operation, seen from a part that lies within it. Where a call begins and ends decides which
// elements its vector body takes, and which its scalar tail.
struct Call {
  std::uint64_t before = 0, count = 0;  // elements of it before the part's first one, and in all
  bool operator==(const Call&) const = default;
};

// Neighbouring elements with one tree.
struct Part {
  std::uint64_t first = 0, count = 0;
  std::uint32_t tree = 0;  // index in Order::trees
  std::int32_t shift = 0;  // rank r of the tree stands for rank (r + shift) mod ranks: a ring has one tree
  // The call that each step of the tree is made in; empty: each is made on the part alone.
  std::vector<Call> calls = {};
  bool operator==(const Part&) const = default;
};

// The parts, in ascending order and without gaps from element 0 to count.
using View = std::vector<Part>;

// Makes it the view's last one, within the Allowance.
void append(View& view, Part part);

struct Order {
  std::string name;  // e.g. "ring", "openmpi-4.1 allreduce 4"
  std::int32_t ranks = 1;
  std::uint64_t count = 0;
  Determinism determinism = Determinism::run_to_run;
  std::vector<Tree> trees;
  // What each rank ends with: one view for all of them, or one for each where they may differ.
  std::vector<View> views;

  const View& view_of(std::int32_t rank) const { return views.size() == 1 ? views.front() : views[rank]; }
};

// Trees are whole, and every view covers all elements once.
bool is_whole(const Order& order);
// What rank `rank` needs of it is: its view, and the trees of that.
bool is_whole(const Order& order, std::int32_t rank);

// Of memory, for trees, parts and calls.
std::uint64_t bytes_of(const Order& order);

// The tree of one element as rank `rank` computes it, with ranks in place of shifted ones.
Tree tree_of(const Order& order, std::uint64_t element, std::int32_t rank = 0);

// An order whose elements all have one tree.
Order uniform(std::string name, const Shape& shape, Tree tree, Determinism determinism = Determinism::run_to_run);

// Blocks of a vector as most algorithms cut it: `blocks` of them, the first count % blocks one longer.
struct Block {
  std::uint64_t first = 0, count = 0;
};
Block block_of(std::uint64_t count, std::int32_t blocks, std::int32_t index);

}  // namespace petri::order

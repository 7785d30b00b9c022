#include "kernels/order/openmpi_topology.hpp"

#include <algorithm>
#include <bit>

#include "kernels/order/allowance.hpp"

namespace petri::order::openmpi {
namespace {

// Builds on ranks that are shifted so that the root is 0.
class Builder {
 public:
  Builder(std::int32_t ranks, std::int32_t root) : ranks_(ranks), root_(root) {
    topology_.root = root;
    topology_.children.resize(static_cast<std::size_t>(ranks));
  }
  void add(std::int32_t parent, std::int32_t child) { topology_.children[real(parent)].push_back(real_rank(child)); }
  Topology take() { return std::move(topology_); }

 private:
  std::int32_t real_rank(std::int32_t shifted) const { return (shifted + root_) % ranks_; }
  std::size_t real(std::int32_t shifted) const { return static_cast<std::size_t>(real_rank(shifted)); }

  std::int32_t ranks_, root_;
  Topology topology_;
};

void add_in_order(Topology& topology, std::int32_t first, std::int32_t count) {
  while (count > 1) {
    const std::int32_t root = first + count - 1, right = count / 2;
    auto& children = topology.children[static_cast<std::size_t>(root)];
    children.push_back(root - 1);
    if (count == 2) return;
    children.push_back(first + right - 1);
    add_in_order(topology, first, right);
    first += right;
    count -= right + 1;
  }
}

}  // namespace

Topology chains(std::int32_t ranks, std::int32_t root, std::int32_t fanout) {
  fanout = std::clamp(fanout, 1, std::max(ranks - 1, 1));
  Builder builder(ranks, root);
  // The first (ranks - 1) mod fanout chains are one longer.
  std::int32_t head = 1;
  for (std::int32_t chain = 0; chain < fanout; ++chain) {
    const auto length = static_cast<std::int32_t>(block_of(static_cast<std::uint64_t>(ranks - 1), fanout, chain).count);
    for (std::int32_t i = 0; i < length; ++i) builder.add(i == 0 ? 0 : head + i - 1, head + i);
    head += length;
  }
  return builder.take();
}

Topology level_tree(std::int32_t ranks, std::int32_t root, std::int32_t fanout) {
  Builder builder(ranks, root);
  std::int64_t width = 1, end_of_level = 1;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (rank == end_of_level) {
      width *= fanout;
      end_of_level += width;
    }
    for (std::int64_t i = 1; i <= fanout && rank + width * i < ranks; ++i)
      builder.add(rank, static_cast<std::int32_t>(rank + width * i));
  }
  return builder.take();
}

Topology in_order_binomial(std::int32_t ranks, std::int32_t root) {
  Builder builder(ranks, root);
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (std::int32_t bit = 1; (rank & bit) == 0 && bit < ranks; bit *= 2)
      if (rank + bit < ranks) builder.add(rank, rank + bit);
  return builder.take();
}

Topology binomial(std::int32_t ranks, std::int32_t root) {
  Builder builder(ranks, root);
  for (std::int32_t rank = 0; rank < ranks; ++rank)
    for (auto bit = static_cast<std::int32_t>(1U << std::bit_width(static_cast<std::uint32_t>(rank)));
         rank + bit < ranks; bit *= 2)
      builder.add(rank, rank + bit);
  return builder.take();
}

Topology in_order_binary(std::int32_t ranks) {
  Topology topology{ranks - 1, {}};
  topology.children.resize(static_cast<std::size_t>(ranks));
  add_in_order(topology, 0, ranks);
  return topology;
}

Tree tree_along(const Topology& topology, bool commutative, bool in_place) {
  const auto ranks = static_cast<std::int32_t>(topology.children.size());
  std::vector<std::int32_t> parents_first{topology.root};
  for (std::size_t i = 0; i < parents_first.size(); ++i)
    for (const std::int32_t child : topology.children[static_cast<std::size_t>(parents_first[i])])
      parents_first.push_back(child);
  TreeMaker maker(ranks);
  std::vector<Operand> sums(static_cast<std::size_t>(ranks));
  for (auto rank = parents_first.rbegin(); rank != parents_first.rend(); ++rank) {
    bool own_on_the_left = commutative && !(in_place && *rank == topology.root);
    Operand sum = *rank;
    for (const std::int32_t child : topology.children[static_cast<std::size_t>(*rank)]) {
      const Operand received = sums[static_cast<std::size_t>(child)];
      sum = own_on_the_left ? maker.combine(sum, received) : maker.combine(received, sum);
      own_on_the_left = false;
    }
    sums[static_cast<std::size_t>(*rank)] = sum;
  }
  return maker.take();
}

Tree linear_tree(std::int32_t ranks) {
  TreeMaker maker(ranks);
  Operand sum = ranks - 1;
  for (std::int32_t rank = ranks - 2; rank >= 0; --rank) sum = maker.combine(rank, sum);
  return maker.take();
}

std::uint64_t elements_of_segment(const Shape& shape, std::uint64_t bytes) {
  const std::uint64_t size = shape.size_of_element();
  if (bytes < size || bytes >= size * shape.count) return shape.count;
  return bytes / size + (bytes % size > size / 2 ? 1 : 0);
}

Order segmented(std::string name, const Shape& shape, Tree tree, std::uint64_t elements) {
  Order order = uniform(std::move(name), shape, std::move(tree));
  if (elements == 0) return order;
  View& view = order.views.front();
  view.clear();
  Allowance::require(shape.count / elements * sizeof(Part));
  for (std::uint64_t first = 0; first < shape.count; first += elements)
    append(view, {first, std::min(elements, shape.count - first), 0, 0});
  return order;
}

}  // namespace petri::order::openmpi

#include "kernels/order/openmpi_blocks.hpp"

#include <bit>
#include <numeric>
#include <utility>

#include "kernels/order/allowance.hpp"
#include "kernels/order/textbook.hpp"

namespace petri::order::openmpi {
namespace {

struct Range {
  std::uint64_t first = 0, count = 0;
  std::uint64_t end() const { return first + count; }
};

Call call_on(const Range& range, std::uint64_t part_first) {
  return {part_first - range.first, range.count};
}

// The first 2·pairs ranks become one in two; the others follow. What is left, `power` virtual ranks, is a power of two.
struct Pairing {
  explicit Pairing(std::int32_t ranks)
      : power(static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(ranks)))),
        pairs(ranks - power),
        bits(std::countr_zero(static_cast<std::uint32_t>(power))) {}

  std::int32_t power, pairs;
  int bits;
};

// For a tree for each virtual rank.
void require_room(const Pairing& pairing, const Shape& shape) {
  Allowance::require(static_cast<std::uint64_t>(pairing.power) * static_cast<std::uint64_t>(shape.ranks) *
                     sizeof(Step));
}

std::int32_t bits_reversed(std::int32_t value, int bits) {
  std::int32_t reversed = 0;
  for (int bit = 0; bit < bits; ++bit) reversed |= ((value >> bit) & 1) << (bits - 1 - bit);
  return reversed;
}

Order empty_order(std::string name, const Shape& shape) {
  return {std::move(name), shape.ranks, shape.count, Determinism::run_to_run, {}, {{}}};
}

// A tree of its own for each part.
void add_part(Order& order, const Range& range, Tree tree, std::vector<Call> calls) {
  if (range.count == 0) return;
  const auto index = static_cast<std::uint32_t>(order.trees.size());
  order.trees.push_back(std::move(tree));
  append(order.views.front(), {range.first, range.count, index, 0, std::move(calls)});
}

Tree ring_tree(std::int32_t ranks, Received received) {
  TreeMaker maker(ranks);
  Operand sum = 0;
  for (std::int32_t rank = 1; rank < ranks; ++rank)
    sum = received == Received::left ? maker.combine(sum, rank) : maker.combine(rank, sum);
  return maker.take();
}

std::vector<Range> ranges_of(const Counts& counts) {
  std::vector<Range> ranges;
  std::uint64_t first = 0;
  for (const std::uint64_t count : counts) {
    ranges.push_back({first, count});
    first += count;
  }
  return ranges;
}

// The blocks of both ranks of a pair are one.
std::vector<Range> paired_ranges(const Counts& counts, const Pairing& pairing) {
  Counts paired;
  for (std::int32_t v = 0; v < pairing.power; ++v) {
    const auto rank = static_cast<std::size_t>(v < pairing.pairs ? 2 * v : v + pairing.pairs);
    paired.push_back(counts[rank] + (v < pairing.pairs ? counts[rank + 1] : 0));
  }
  return ranges_of(paired);
}

Range spanned(const std::vector<Range>& ranges, std::int32_t first, std::int32_t count) {
  const Range& last = ranges[static_cast<std::size_t>(first + count - 1)];
  const std::uint64_t begin = ranges[static_cast<std::size_t>(first)].first;
  return {begin, last.end() - begin};
}

// One tree for the block of each virtual rank: partial results of virtual ranks, and the calls that make them.
class BlockTree {
 public:
  enum class Pair { even_left, odd_left };

  BlockTree(std::int32_t ranks, const Pairing& pairing, std::uint64_t part_first)
      : maker_(ranks), pairing_(pairing), part_first_(part_first) {}

  void pair_up(Pair order, const Range& range) {
    for (std::int32_t v = 0; v < pairing_.power; ++v) {
      if (v >= pairing_.pairs) {
        sums_.push_back(v + pairing_.pairs);
      } else {
        sums_.push_back(order == Pair::even_left ? combine(2 * v, 2 * v + 1, range) : combine(2 * v + 1, 2 * v, range));
      }
    }
  }

  // Virtual ranks that agree with the owner in `agreeing` bits receive from those `distance` away.
  void exchange(std::int32_t owner, std::int32_t agreeing, std::int32_t distance, const Range& range) {
    for (std::int32_t v = 0; v < pairing_.power; ++v)
      if (((v ^ owner) & agreeing) == 0) sum(v) = combine(sum(v ^ distance), sum(v), range);
  }

  void add_to(Order& order, const Range& block) { add_part(order, block, maker_.take(), std::move(calls_)); }

 private:
  Operand& sum(std::int32_t v) { return sums_[static_cast<std::size_t>(v)]; }
  Operand combine(Operand left, Operand right, const Range& range) {
    calls_.push_back(call_on(range, part_first_));
    return maker_.combine(left, right);
  }

  TreeMaker maker_;
  const Pairing& pairing_;
  std::uint64_t part_first_;
  std::vector<Operand> sums_;
  std::vector<Call> calls_;
};

}  // namespace

Order ring(std::string name, const Shape& shape, std::int32_t start, std::uint64_t phases, Received received) {
  Order order = empty_order(std::move(name), shape);
  order.trees.push_back(ring_tree(shape.ranks, received));
  Allowance::require(phases * sizeof(Part));
  for (std::int32_t b = 0; b < shape.ranks; ++b) {
    const Block block = block_of(shape.count, shape.ranks, b);
    const std::int32_t shift = (b + start + shape.ranks) % shape.ranks;
    for (std::uint64_t phase = 0; phase < phases; ++phase) {
      const Block part = block_of(block.count, static_cast<std::int32_t>(phases), static_cast<std::int32_t>(phase));
      if (part.count > 0) append(order.views.front(), {block.first + part.first, part.count, 0, shift});
    }
  }
  return order;
}

Order ring(std::string name, const Shape& shape, std::int32_t start, const Counts& counts) {
  Order order = empty_order(std::move(name), shape);
  order.trees.push_back(ring_tree(shape.ranks, Received::left));
  const std::vector<Range> blocks = ranges_of(counts);
  for (std::int32_t b = 0; b < shape.ranks; ++b) {
    const Range& block = blocks[static_cast<std::size_t>(b)];
    if (block.count > 0)
      append(order.views.front(), {block.first, block.count, 0, (b + start + shape.ranks) % shape.ranks});
  }
  return order;
}

Order rabenseifner(std::string name, const Shape& shape) {
  Order order = empty_order(std::move(name), shape);
  const Pairing pairing(shape.ranks);
  require_room(pairing, shape);
  for (std::int32_t position = 0; position < pairing.power; ++position) {
    const std::int32_t owner = bits_reversed(position, pairing.bits);
    // The window before each exchange, and the block at the end. The lower half is the smaller one.
    std::vector<Range> windows{{0, shape.count}};
    for (int bit = 0; bit < pairing.bits; ++bit) {
      const Range window = windows.back();
      const std::uint64_t lower = window.count / 2;
      windows.push_back((owner >> bit & 1) == 0 ? Range{window.first, lower}
                                                : Range{window.first + lower, window.count - lower});
    }
    BlockTree tree(shape.ranks, pairing, windows.back().first);
    // In pairs, the even rank combines the lower half, the odd one the upper; each has what it received on the left.
    const bool lower = (owner & 1) == 0;
    tree.pair_up(lower ? BlockTree::Pair::odd_left : BlockTree::Pair::even_left, windows[pairing.bits > 0 ? 1 : 0]);
    for (int bit = 0; bit < pairing.bits; ++bit)
      tree.exchange(owner, (2 << bit) - 1, 1 << bit, windows[static_cast<std::size_t>(bit) + 1]);
    tree.add_to(order, windows.back());
  }
  return order;
}

Order recursive_halving(std::string name, const Shape& shape, const Counts& counts) {
  Order order = empty_order(std::move(name), shape);
  const Pairing pairing(shape.ranks);
  const std::vector<Range> blocks = paired_ranges(counts, pairing);
  require_room(pairing, shape);
  for (std::int32_t owner = 0; owner < pairing.power; ++owner) {
    const Range& block = blocks[static_cast<std::size_t>(owner)];
    BlockTree tree(shape.ranks, pairing, block.first);
    tree.pair_up(BlockTree::Pair::even_left, {0, shape.count});
    for (std::int32_t distance = pairing.power / 2; distance > 0; distance /= 2)
      tree.exchange(owner, ~(distance - 1), distance, spanned(blocks, owner / distance * distance, distance));
    tree.add_to(order, block);
  }
  return order;
}

Order butterfly(std::string name, const Shape& shape, const Counts& counts, bool in_reversed_order) {
  Order order = empty_order(std::move(name), shape);
  const Pairing pairing(shape.ranks);
  const std::vector<Range> blocks = paired_ranges(counts, pairing);
  order.trees.push_back(recursive_doubling(shape).trees.front());
  for (std::int32_t b = 0; b < pairing.power; ++b) {
    const Range& block = blocks[static_cast<std::size_t>(b)];
    if (block.count == 0) continue;
    const std::int32_t place = in_reversed_order ? bits_reversed(b, pairing.bits) : b;
    const std::uint64_t place_first = blocks[static_cast<std::size_t>(place)].first;
    std::vector<Call> calls(static_cast<std::size_t>(pairing.pairs), {block.first, shape.count});
    for (std::int32_t left = pairing.power / 2; left > 0; left /= 2)
      calls.insert(calls.end(), static_cast<std::size_t>(left),
                   call_on(spanned(blocks, place / left * left, left), place_first));
    append(order.views.front(), {block.first, block.count, 0, 0, std::move(calls)});
  }
  return order;
}

namespace {

// Recursive doubling for one block, from the last exchange back to the contributions.
class DoublingOfBlock {
 public:
  DoublingOfBlock(const Shape& shape, std::uint64_t count, bool commutative, std::int32_t block)
      : ranks_(shape.ranks), count_(count), commutative_(commutative), block_(block), maker_(shape.ranks) {}

  void add_to(Order& order) {
    result_of(block_, static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(ranks_))));
    add_part(order, {static_cast<std::uint64_t>(block_) * count_, count_}, maker_.take(), std::move(calls_));
  }

 private:
  // What `rank` has before the exchange over `distance`.
  Operand result_of(std::int32_t rank, std::int32_t distance) {
    if (distance == 1) return rank;
    distance /= 2;
    const Operand own = result_of(rank, distance);
    const std::int32_t source = source_of(rank, distance, 1);
    if (source < 0) return own;
    const Operand received = result_of(source, distance);
    const std::int32_t from = (rank ^ distance) / distance * distance, own_group = rank / distance * distance;
    calls_.push_back(call_on(range_without(from, distance), static_cast<std::uint64_t>(block_) * count_));
    return commutative_ || from < own_group ? maker_.combine(received, own) : maker_.combine(own, received);
  }

  // Whose result `rank` combines at `distance`. Where its partner does not exist, a rank of its group passes on what
  // that one received: those with a partner do so over ever smaller distances, down to `least`. -1: nothing comes.
  std::int32_t source_of(std::int32_t rank, std::int32_t distance, std::int32_t least) const {
    if ((rank ^ distance) < ranks_) return rank ^ distance;
    const std::int32_t served = ranks_ - rank / distance * distance - distance;
    for (std::int32_t step = least; step < distance; step *= 2) {
      const std::int32_t passer = rank ^ step, limit = rank / (2 * step) * (2 * step) + served;
      if (passer < rank && passer < limit && rank >= limit) return source_of(passer, distance, 2 * step);
    }
    return -1;
  }

  // Two calls for each exchange: the blocks below the group that it comes from, and those above.
  Range range_without(std::int32_t group, std::int32_t size) const {
    const std::uint64_t below = static_cast<std::uint64_t>(group) * count_;
    if (block_ < group) return {0, below};
    const std::uint64_t above = static_cast<std::uint64_t>(group + size) * count_;
    return {above, static_cast<std::uint64_t>(ranks_) * count_ - above};
  }

  std::int32_t ranks_;
  std::uint64_t count_;
  bool commutative_;
  std::int32_t block_;
  TreeMaker maker_;
  std::vector<Call> calls_;
};

}  // namespace

Order doubling_of_blocks(std::string name, const Shape& shape, std::uint64_t count, bool commutative) {
  Order order = empty_order(std::move(name), shape);
  for (std::int32_t block = 0; block < shape.ranks; ++block)
    DoublingOfBlock(shape, count, commutative, block).add_to(order);
  return order;
}

}  // namespace petri::order::openmpi

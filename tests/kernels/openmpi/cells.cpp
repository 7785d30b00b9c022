#include "tests/kernels/openmpi/cells.hpp"

#include <algorithm>

#include "kernels/order/openmpi_choice.hpp"

namespace petri::openmpi_orders {
namespace {

using order::openmpi::Collective;
using order::openmpi::Decision;
using order::openmpi::Invocation;

constexpr std::uint64_t kMostBytes = 4U << 20;  // of a vector: seventeen ranks hold several each

struct Combination {
  ElementType type;
  ReduceOp op;
  Kind kind;
  bool commutative = true;

  // That tells orders, or sides of operands and vectors from tails, best: called with the most sizes and in all
  // variants.
  bool telling() const {
    return (op == ReduceOp::sum && kind == Kind::spread && type != ElementType::float16) ||
           (type == ElementType::float32 && op == ReduceOp::min && kind == Kind::special) ||
           (type == ElementType::float64 && op == ReduceOp::max && kind == Kind::special);
  }
  bool exact() const { return type == ElementType::int32 || type == ElementType::int64; }
};

std::vector<Combination> combinations(Extent extent) {
  using T = ElementType;
  using R = ReduceOp;
  if (extent != Extent::all)
    return {{T::float32, R::sum, Kind::spread},
            {T::float32, R::min, Kind::special},
            {T::float64, R::max, Kind::special},
            {T::bfloat16, R::sum, Kind::spread, false}};
  std::vector<Combination> all;
  for (const T type : {T::float32, T::float64}) {
    for (const R op : {R::sum, R::prod, R::min, R::max})
      for (const Kind kind : {Kind::spread, Kind::special}) all.push_back({type, op, kind});
    all.push_back({type, R::sum, Kind::cancelling});
  }
  for (const T type : {T::int32, T::int64})
    for (const R op : {R::sum, R::prod, R::min, R::max}) all.push_back({type, op, Kind::spread});
  for (const T type : {T::float16, T::bfloat16})
    for (const bool commutative : {true, false}) {
      all.push_back({type, R::sum, Kind::spread, commutative});
      all.push_back({type, R::max, Kind::spread, commutative});
    }
  return all;
}

std::vector<std::uint64_t> sizes(std::int32_t ranks, Extent extent, const Combination& what) {
  const auto p = static_cast<std::uint64_t>(ranks);
  if (extent == Extent::few) return {1, p, 1001};
  if (what.exact()) return {p, 1000};  // all orders have the same bits
  if (!what.telling()) return {1, 3, p - 1, p, p + 1, 1000};
  return {0, 1, 3, p - 1, p, p + 1, 1000, 100000};
}

// The last element before each border, and the first one at it.
std::vector<std::uint64_t> border_sizes(const Invocation& base, std::int32_t ranks, ElementType type,
                                        bool commutative) {
  const bool blocks = base.collective == Collective::reduce_scatter_block;
  const Decision decision = base.collective == Collective::allreduce        ? Decision::allreduce
                            : base.collective == Collective::reduce         ? Decision::reduce
                            : base.collective == Collective::reduce_scatter ? Decision::reduce_scatter
                                                                            : Decision::reduce_scatter_block;
  std::vector<std::uint64_t> all;
  for (const std::uint64_t border : order::openmpi::borders(decision, ranks, commutative)) {
    const std::uint64_t at = (border + size_of(type) - 1) / size_of(type);
    for (const std::uint64_t count : {at - 1, at}) {
      const std::uint64_t whole = blocks ? count * static_cast<std::uint64_t>(ranks) : count;
      if (whole * size_of(type) <= kMostBytes) all.push_back(whole);
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Blocks of very different sizes, some of them empty.
std::vector<std::uint64_t> uneven(std::uint64_t count, std::int32_t ranks) {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks), 0);
  std::uint64_t rest = count;
  for (std::size_t rank = 1; rank < counts.size() && rest > 0; ++rank) {
    if (rank % 3 == 2) continue;
    counts[rank] = (rest + 1) / 2;
    rest -= counts[rank];
  }
  counts.back() += rest;
  return counts;
}

// From several roots, in place, with uneven blocks: what the collective can be called with.
std::vector<Invocation> variants(const Invocation& base, std::int32_t ranks, const Combination& what,
                                 std::uint64_t count, Extent extent) {
  Invocation plain = base;
  plain.commutative = what.commutative;
  std::vector<Invocation> all{plain};
  if (what.type != ElementType::float32 && what.commutative) return all;
  if (!what.telling()) return all;
  Invocation in_place = plain;
  in_place.in_place = true;
  all.push_back(in_place);
  if (extent == Extent::borders) return all;
  if (base.collective == Collective::reduce || base.collective == Collective::ireduce)
    for (const std::int32_t root : {1, ranks / 2, ranks - 1})
      if (root != 0 && root != all.back().root)
        for (Invocation other : {plain, in_place}) {
          other.root = root;
          all.push_back(other);
        }
  if (base.collective == Collective::reduce_scatter) {
    plain.counts = uneven(count, ranks);
    all.push_back(plain);
  }
  return all;
}

}  // namespace

std::string Cell::text() const {
  std::string text = std::to_string(count) + " " + std::string(name_of(payload.type)) + " " +
                     std::string(name_of(payload.op)) + " " +
                     std::string(kKindNames[static_cast<std::size_t>(payload.kind)]);
  if (!invocation.commutative) text += ", in the order of ranks";
  if (invocation.root != 0) text += ", root " + std::to_string(invocation.root);
  if (invocation.in_place) text += ", in place";
  if (!invocation.counts.empty()) text += ", uneven blocks";
  return text;
}

std::vector<Cell> cells_of(const Invocation& base, std::int32_t ranks, Extent extent) {
  std::vector<Cell> cells;
  for (const Combination& what : combinations(extent)) {
    std::vector<std::uint64_t> counts =
        extent == Extent::borders ? border_sizes(base, ranks, what.type, what.commutative) : sizes(ranks, extent, what);
    if (base.collective == Collective::reduce_scatter_block && extent != Extent::borders) {
      const auto p = static_cast<std::uint64_t>(ranks);
      for (std::uint64_t& count : counts) count = (count + p - 1) / p * p;
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (const std::uint64_t count : counts)
      for (const Invocation& invocation : variants(base, ranks, what, count, extent))
        cells.push_back({count, {what.type, what.op, what.kind, cells.size() + 1}, invocation});
  }
  return cells;
}

}  // namespace petri::openmpi_orders

#include "harness/compare/tile.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/arithmetic.hpp"
#include "kernels/order/order.hpp"

namespace petri::compare {
namespace {

// Squares of so many elements are turned at a time: their lines stay in the cache.
constexpr std::size_t kSquare = 32;

template <std::size_t kSize>
void turn_square(const std::byte* rows, std::size_t row_bytes, std::byte* columns, std::size_t column_bytes,
                 std::size_t ranks, std::size_t count) {
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(columns + i * column_bytes + rank * kSize, rows + rank * row_bytes + i * kSize, kSize);
}

// `made` is told of each row.
template <class Made>
void write_rows(const Reductions& reductions, std::int32_t ranks, std::int32_t rank, ElementType type,
                std::uint64_t first, std::size_t count, std::byte* out, kernels::ConversionLoss* loss,
                const Made& made) {
  if (reductions.spread_rows == 0) {
    reductions.rows(rank, type, first, count, out, loss);
    return made();
  }
  // An average scales what the ranks contribute, and not the rows.
  const auto arithmetic = kernels::arithmetic(type, reductions.op == ReduceOp::avg ? ReduceOp::sum : reductions.op);
  const order::Block block = order::block_of(static_cast<std::uint64_t>(reductions.spread_rows), ranks, rank);
  reductions.rows(static_cast<std::int32_t>(block.first), type, first, count, out, loss);
  made();
  std::vector<std::byte> next(count * size_of(type));
  for (std::uint64_t i = 1; i < block.count; ++i) {
    reductions.rows(static_cast<std::int32_t>(block.first + i), type, first, count, next.data(), loss);
    made();
    arithmetic->combine(out, next.data(), count);
    std::memcpy(out, next.data(), next.size());
  }
}

}  // namespace

void write_contribution(const Reductions& reductions, std::int32_t ranks, std::int32_t rank, ElementType type,
                        std::uint64_t first, std::size_t count, std::byte* out) {
  write_rows(reductions, ranks, rank, type, first, count, out, nullptr, [] {});
}

void Tile::take(const Reductions& reductions, std::uint64_t first, std::size_t count) {
  first_ = first;
  loss_ = {};
  row_bytes_ = count * size_of(type_);
  const std::size_t bytes = static_cast<std::size_t>(ranks_) * row_bytes_;
  rows_.resize(bytes);
  columns_.resize(bytes);
  for (std::int32_t rank = 0; rank < ranks_; ++rank)
    write_rows(reductions, ranks_, rank, type_, first, count,
               rows_.data() + static_cast<std::size_t>(rank) * row_bytes_, &loss_,
               [&] { work_.add(count * kCostOfContribution); });
  turn(count);
}

void Tile::turn(std::size_t count) {
  const std::size_t size = size_of(type_), ranks = static_cast<std::size_t>(ranks_), column_bytes = ranks * size;
  const auto square = size == 2 ? turn_square<2> : size == 4 ? turn_square<4> : turn_square<8>;
  for (std::size_t rank = 0; rank < ranks; rank += kSquare)
    for (std::size_t i = 0; i < count; i += kSquare)
      square(rows_.data() + rank * row_bytes_ + i * size, row_bytes_, columns_.data() + i * column_bytes + rank * size,
             column_bytes, std::min(kSquare, ranks - rank), std::min(kSquare, count - i));
}

order::Contribution Tile::contribution() const {
  return [this](std::int32_t rank, std::uint64_t first, std::size_t count, std::byte* out) {
    const std::size_t size = size_of(type_);
    std::memcpy(out, rows_.data() + static_cast<std::size_t>(rank) * row_bytes_ + (first - first_) * size,
                count * size);
    work_.add(count);
  };
}

}  // namespace petri::compare

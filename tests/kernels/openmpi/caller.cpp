#include "tests/kernels/openmpi/caller.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/openmpi_ops.hpp"
#include "kernels/mpi/openmpi_settings.hpp"

namespace petri::openmpi_orders {
namespace {

using mpi::Piece;
using order::Order;
using order::openmpi::Collective;
using Bytes = std::vector<std::byte>;

bool is_half(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

std::uint64_t hash_of(const Bytes& bytes) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
  for (const std::byte b : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(b)) * 0x100000001B3ULL;
  return hash;
}

bool everywhere(const Cell& cell) {
  return cell.invocation.collective == Collective::allreduce || cell.invocation.collective == Collective::iallreduce;
}

}  // namespace

Caller::Caller(MPI_Comm comm) : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  MPI_Comm_size(comm, &ranks_);
}

Outcome Caller::outcome_of(const Cell& cell) {
  Outcome outcome;
  Piece piece = called(cell);
  if (everywhere(cell)) {
    // Each rank looks at a slice, and all compare the whole.
    outcome.hash = hash_of(piece.bytes);
    const std::size_t size = size_of(cell.payload.type);
    const order::Block slice = order::block_of(cell.count, ranks_, rank_);
    piece = {slice.first, slice.count,
             Bytes(piece.bytes.begin() + static_cast<std::ptrdiff_t>(slice.first * size),
                   piece.bytes.begin() + static_cast<std::ptrdiff_t>((slice.first + slice.count) * size))};
  }
  compare(cell, piece, outcome);
  return outcome;
}

// What a root has it hands out in slices, so that all ranks compare.
Piece Caller::called(const Cell& cell) {
  Piece piece =
      mpi::reduced_by_library(cell.invocation, cell.payload.type, cell.payload.op, own_contribution(cell), comm_);
  const Collective collective = cell.invocation.collective;
  return collective == Collective::reduce || collective == Collective::ireduce ? scattered(cell, piece) : piece;
}

Bytes Caller::own_contribution(const Cell& cell) const {
  Bytes own(cell.count * size_of(cell.payload.type));
  contribution_of(cell.payload)(rank_, 0, cell.count, own.data());
  return own;
}

Piece Caller::scattered(const Cell& cell, const Piece& whole) const {
  const auto size = static_cast<int>(size_of(cell.payload.type));
  std::vector<int> counts, starts;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    const order::Block block = order::block_of(cell.count, ranks_, rank);
    counts.push_back(static_cast<int>(block.count) * size);
    starts.push_back(static_cast<int>(block.first) * size);
  }
  const order::Block own = order::block_of(cell.count, ranks_, rank_);
  Piece piece{own.first, own.count, Bytes(own.count * static_cast<std::size_t>(size))};
  MPI_Scatterv(whole.bytes.data(), counts.data(), starts.data(), MPI_BYTE, piece.bytes.data(),
               static_cast<int>(piece.bytes.size()), MPI_BYTE, cell.invocation.root, comm_);
  return piece;
}

void Caller::compare(const Cell& cell, const Piece& piece, Outcome& outcome) const {
  const std::size_t size = size_of(cell.payload.type);
  const auto order = order_for(cell);
  const auto arithmetic = is_half(cell.payload.type)
                              ? kernels::arithmetic(cell.payload.type, cell.payload.op)
                              : kernels::openmpi_arithmetic(cell.payload.type, cell.payload.op, mpi::vector_support());
  Bytes predicted(piece.bytes.size());
  order::Evaluator(order, *arithmetic)
      .evaluate(contribution_of(cell.payload), piece.first, piece.count, predicted.data());
  const auto [here, there] = std::mismatch(predicted.begin(), predicted.end(), piece.bytes.begin());
  if (here == predicted.end()) return;
  const std::size_t at = static_cast<std::size_t>(here - predicted.begin()) / size;
  outcome.element = static_cast<std::int64_t>(piece.first + at);
  std::memcpy(&outcome.predicted, predicted.data() + at * size, size);
  std::memcpy(&outcome.measured, piece.bytes.data() + at * size, size);
}

Order Caller::order_for(const Cell& cell) const {
  return *order::openmpi::order_of(order::openmpi::kMeasured, cell.invocation,
                                   {.ranks = ranks_, .count = cell.count, .type = cell.payload.type});
}

}  // namespace petri::openmpi_orders

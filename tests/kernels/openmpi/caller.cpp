#include "tests/kernels/openmpi/caller.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/cpu/openmpi_ops.hpp"
#include "tests/kernels/openmpi/settings.hpp"

namespace petri::openmpi_orders {
namespace {

using order::Order;
using order::openmpi::Collective;
using Bytes = std::vector<std::byte>;

bool is_half(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

// The library has no half types: an operation of ours over two bytes. One for each type and operation, as MPI passes no
// state to it (MPI 4.1, section 6.9.5).
template <ElementType type, ReduceOp op>
void combine_halves(void* in, void* inout, int* count, MPI_Datatype*) {
  kernels::arithmetic(type, op)->combine(in, inout, static_cast<std::size_t>(*count));
}

MPI_User_function* half_function(ElementType type, ReduceOp op) {
  const bool sum = op == ReduceOp::sum;
  if (type == ElementType::float16)
    return sum ? combine_halves<ElementType::float16, ReduceOp::sum>
               : combine_halves<ElementType::float16, ReduceOp::max>;
  return sum ? combine_halves<ElementType::bfloat16, ReduceOp::sum>
             : combine_halves<ElementType::bfloat16, ReduceOp::max>;
}

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::float32: return MPI_FLOAT;
    case ElementType::float64: return MPI_DOUBLE;
    case ElementType::int32: return MPI_INT32_T;
    case ElementType::int64: return MPI_INT64_T;
    default: return MPI_UINT16_T;
  }
}

// Freed where it was made for the cell.
class Operation {
 public:
  explicit Operation(const Cell& cell) {
    if (is_half(cell.payload.type)) {
      MPI_Op_create(half_function(cell.payload.type, cell.payload.op), cell.invocation.commutative ? 1 : 0, &op_);
      ours_ = true;
      return;
    }
    switch (cell.payload.op) {
      case ReduceOp::prod: op_ = MPI_PROD; break;
      case ReduceOp::min: op_ = MPI_MIN; break;
      case ReduceOp::max: op_ = MPI_MAX; break;
      default: op_ = MPI_SUM;
    }
  }
  ~Operation() {
    if (ours_) MPI_Op_free(&op_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  operator MPI_Op() const { return op_; }

 private:
  MPI_Op op_ = MPI_OP_NULL;
  bool ours_ = false;
};

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

Piece Caller::called(const Cell& cell) {
  switch (cell.invocation.collective) {
    case Collective::reduce:
    case Collective::ireduce: return reduced(cell);
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return scattered(cell);
    default: return reduced_everywhere(cell);
  }
}

Bytes Caller::own_contribution(const Cell& cell) const {
  Bytes own(cell.count * size_of(cell.payload.type));
  contribution_of(cell.payload)(rank_, 0, cell.count, own.data());
  return own;
}

Piece Caller::reduced_everywhere(const Cell& cell) {
  Bytes own = own_contribution(cell);
  Bytes result = cell.invocation.in_place ? own : Bytes(own.size());
  const void* send = cell.invocation.in_place ? MPI_IN_PLACE : own.data();
  const Operation op(cell);
  const int count = static_cast<int>(cell.count);
  if (cell.invocation.collective == Collective::allreduce) {
    MPI_Allreduce(send, result.data(), count, mpi_type(cell.payload.type), op, comm_);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(send, result.data(), count, mpi_type(cell.payload.type), op, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return {0, cell.count, std::move(result)};
}

// The root hands out slices, so that all ranks compare.
Piece Caller::reduced(const Cell& cell) {
  Bytes own = own_contribution(cell);
  const bool root = rank_ == cell.invocation.root, in_place = root && cell.invocation.in_place;
  Bytes result = in_place ? own : Bytes(root ? own.size() : 0);
  const void* send = in_place ? MPI_IN_PLACE : own.data();
  const Operation op(cell);
  const MPI_Datatype type = mpi_type(cell.payload.type);
  const int count = static_cast<int>(cell.count);
  if (cell.invocation.collective == Collective::reduce) {
    MPI_Reduce(send, result.data(), count, type, op, cell.invocation.root, comm_);
  } else {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ireduce(send, result.data(), count, type, op, cell.invocation.root, comm_, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  std::vector<int> counts, starts;
  for (std::int32_t rank = 0; rank < ranks_; ++rank) {
    const order::Block block = order::block_of(cell.count, ranks_, rank);
    counts.push_back(static_cast<int>(block.count));
    starts.push_back(static_cast<int>(block.first));
  }
  const auto me = static_cast<std::size_t>(rank_);
  Piece piece{static_cast<std::uint64_t>(starts[me]), static_cast<std::uint64_t>(counts[me]), {}};
  piece.bytes.resize(piece.count * size_of(cell.payload.type));
  MPI_Scatterv(result.data(), counts.data(), starts.data(), type, piece.bytes.data(), counts[me], type,
               cell.invocation.root, comm_);
  return piece;
}

Piece Caller::scattered(const Cell& cell) {
  std::vector<int> counts;
  for (std::int32_t rank = 0; rank < ranks_; ++rank)
    counts.push_back(static_cast<int>(cell.invocation.counts.empty()
                                          ? order::block_of(cell.count, ranks_, rank).count
                                          : cell.invocation.counts[static_cast<std::size_t>(rank)]));
  const auto me = counts.begin() + rank_;
  Piece piece{static_cast<std::uint64_t>(std::accumulate(counts.begin(), me, 0)), static_cast<std::uint64_t>(*me), {}};
  Bytes own = own_contribution(cell);
  const std::size_t bytes = piece.count * size_of(cell.payload.type);
  Bytes result = cell.invocation.in_place ? own : Bytes(bytes);
  const void* send = cell.invocation.in_place ? MPI_IN_PLACE : own.data();
  const Operation op(cell);
  const MPI_Datatype type = mpi_type(cell.payload.type);
  if (cell.invocation.collective == Collective::reduce_scatter) {
    MPI_Reduce_scatter(send, result.data(), counts.data(), type, op, comm_);
  } else {
    MPI_Reduce_scatter_block(send, result.data(), *me, type, op, comm_);
  }
  result.resize(bytes);
  piece.bytes = std::move(result);
  return piece;
}

void Caller::compare(const Cell& cell, const Piece& piece, Outcome& outcome) const {
  const std::size_t size = size_of(cell.payload.type);
  const auto order = order_for(cell);
  const auto arithmetic = is_half(cell.payload.type)
                              ? kernels::arithmetic(cell.payload.type, cell.payload.op)
                              : kernels::openmpi_arithmetic(cell.payload.type, cell.payload.op, vector_support());
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

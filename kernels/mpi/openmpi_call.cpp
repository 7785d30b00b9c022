#include "kernels/mpi/openmpi_call.hpp"

#include <numeric>
#include <utility>

#include "kernels/cpu/arithmetic.hpp"

namespace petri::mpi {
namespace {

using order::openmpi::Collective;
using order::openmpi::Invocation;
using Bytes = std::vector<std::byte>;

bool is_half(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16;
}

// An operation of ours over two bytes. One for each type and operation, as MPI passes no state to it (MPI 4.1, section
// 6.9.5).
template <ElementType type, ReduceOp op>
void combine_halves(void* in, void* inout, int* count, MPI_Datatype*) {
  kernels::arithmetic(type, op)->combine(in, inout, static_cast<std::size_t>(*count));
}

template <ElementType type>
MPI_User_function* half_function(ReduceOp op) {
  switch (op) {
    case ReduceOp::prod: return combine_halves<type, ReduceOp::prod>;
    case ReduceOp::min: return combine_halves<type, ReduceOp::min>;
    case ReduceOp::max: return combine_halves<type, ReduceOp::max>;
    default: return combine_halves<type, ReduceOp::sum>;
  }
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

// Freed where it was made for the call.
class Operation {
 public:
  Operation(ElementType type, ReduceOp op, bool commutative) {
    if (is_half(type)) {
      MPI_User_function* function = type == ElementType::float16 ? half_function<ElementType::float16>(op)
                                                                 : half_function<ElementType::bfloat16>(op);
      MPI_Op_create(function, commutative ? 1 : 0, &op_);
      ours_ = true;
      return;
    }
    switch (op) {
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

class Call {
 public:
  Call(const Invocation& how, ElementType type, ReduceOp op, Bytes own, MPI_Comm comm)
      : how_(how),
        size_(size_of(type)),
        type_(mpi_type(type)),
        op_(type, op, how.commutative),
        count_(static_cast<int>(own.size() / size_)),
        own_(std::move(own)),
        comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  Piece everywhere() {
    Bytes result = room_of(own_.size(), how_.in_place);
    const void* send = how_.in_place ? MPI_IN_PLACE : own_.data();
    if (how_.collective == Collective::allreduce) {
      MPI_Allreduce(send, result.data(), count_, type_, op_, comm_);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Iallreduce(send, result.data(), count_, type_, op_, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return piece_of(0, std::move(result));
  }

  Piece at_root() {
    const bool root = rank_ == how_.root, in_place = root && how_.in_place;
    Bytes result = room_of(root ? own_.size() : 0, in_place);
    const void* send = in_place ? MPI_IN_PLACE : own_.data();
    if (how_.collective == Collective::reduce) {
      MPI_Reduce(send, result.data(), count_, type_, op_, how_.root, comm_);
    } else {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Ireduce(send, result.data(), count_, type_, op_, how_.root, comm_, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return piece_of(0, std::move(result));
  }

  Piece in_blocks() {
    std::vector<int> counts;
    for (std::int32_t rank = 0; rank < ranks_; ++rank)
      counts.push_back(static_cast<int>(how_.counts.empty()
                                            ? order::block_of(static_cast<std::uint64_t>(count_), ranks_, rank).count
                                            : how_.counts[static_cast<std::size_t>(rank)]));
    const auto me = counts.begin() + rank_;
    const std::size_t bytes = static_cast<std::size_t>(*me) * size_;
    Bytes result = room_of(how_.in_place ? own_.size() : bytes, how_.in_place);
    const void* send = how_.in_place ? MPI_IN_PLACE : own_.data();
    if (how_.collective == Collective::reduce_scatter) {
      MPI_Reduce_scatter(send, result.data(), counts.data(), type_, op_, comm_);
    } else {
      MPI_Reduce_scatter_block(send, result.data(), *me, type_, op_, comm_);
    }
    result.resize(bytes);
    return piece_of(std::accumulate(counts.begin(), me, std::uint64_t{0}), std::move(result));
  }

 private:
  // In place, the contribution lies where the result goes.
  Bytes room_of(std::size_t bytes, bool in_place) { return in_place ? std::move(own_) : Bytes(bytes); }

  Piece piece_of(std::uint64_t first, Bytes bytes) const { return {first, bytes.size() / size_, std::move(bytes)}; }

  const Invocation& how_;
  std::size_t size_;
  MPI_Datatype type_;
  Operation op_;
  int count_;
  Bytes own_;
  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0;
};

}  // namespace

Piece reduced_by_library(const Invocation& how, ElementType type, ReduceOp op, Bytes own, MPI_Comm comm) {
  Call call(how, type, op, std::move(own), comm);
  switch (how.collective) {
    case Collective::reduce:
    case Collective::ireduce: return call.at_root();
    case Collective::reduce_scatter:
    case Collective::reduce_scatter_block: return call.in_blocks();
    default: return call.everywhere();
  }
}

}  // namespace petri::mpi

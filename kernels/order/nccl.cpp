#include "kernels/order/nccl.hpp"

#include <array>

namespace petri::order {
namespace {

// Along the ring from `first`, each rank adding its own to what comes in.
Tree around_the_ring(std::int32_t ranks, std::int32_t first) {
  TreeMaker maker(ranks);
  Operand sum = first % ranks;
  for (std::int32_t i = 1; i < ranks; ++i) sum = maker.combine((first + i) % ranks, sum);
  return maker.take();
}

// An average multiplies each contribution first (src/enqueue.cc, ncclDevPreMulSum).
std::optional<kernels::Arithmetic> nccl_arithmetic(ElementType type, ReduceOp op) {
  if (op != ReduceOp::sum && op != ReduceOp::prod && op != ReduceOp::avg) return std::nullopt;
  auto how = kernels::arithmetic(type, op);
  if (how && op == ReduceOp::avg) how->scale = kernels::Arithmetic::Scale::before;
  return how;
}

}  // namespace

std::optional<Reduction> nccl_reduction(std::string_view version, std::string_view what, const Shape& shape,
                                        ReduceOp op) {
  if (what != "reduce/ring") return std::nullopt;
  const auto how = nccl_arithmetic(shape.type, op);
  if (!how) return std::nullopt;
  const auto determinism = version == "2.30" ? Determinism::run_to_run : Determinism::not_guaranteed;
  return Reduction{uniform("reduce/ring", shape, around_the_ring(shape.ranks, 1), determinism), *how};
}

std::span<const CatalogueLine> nccl_lines() {
  static constexpr std::array lines{
      CatalogueLine{"nccl-2.30/reduce/ring", "around the ring, from the rank after the root 0"},
  };
  return lines;
}

}  // namespace petri::order

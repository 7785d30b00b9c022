// The reduction orders of NCCL, from its sources.
//
//   nccl-VERSION/COLLECTIVE/ALGORITHM    e.g. "nccl-2.30/reduce/ring"
//
// A reduction on a ring starts at the rank after the root and ends at the root (src/device/reduce.h, runRing). A rank
// takes its own contribution as the left operand and what it received as the right one (src/device/prims_simple.h,
// genericOp; src/device/common_kernel.h, reduceCopyPacks).
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/order/catalogue.hpp"

namespace petri::order {

std::optional<Reduction> nccl_reduction(std::string_view version, std::string_view what, const Shape& shape,
                                        ReduceOp op);
std::span<const CatalogueLine> nccl_lines();

}  // namespace petri::order

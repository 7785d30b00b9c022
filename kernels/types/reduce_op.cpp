#include "kernels/types/reduce_op.hpp"

#include <array>
#include <cstddef>

namespace petri {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 17> kNames{"unknown", "sum",    "prod",    "min",   "max", "avg",
                                                  "land",    "lor",    "lxor",    "band",  "bor", "bxor",
                                                  "minloc",  "maxloc", "replace", "no_op", "user"};
static_assert(static_cast<std::size_t>(ReduceOp::user) + 1 == kNames.size());

}  // namespace

std::string_view name_of(ReduceOp op) {
  return kNames.at(static_cast<std::size_t>(op));
}

std::optional<ReduceOp> reduce_op_named(std::string_view name) {
  for (std::size_t i = 1; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<ReduceOp>(i);
  return std::nullopt;
}

}  // namespace petri
